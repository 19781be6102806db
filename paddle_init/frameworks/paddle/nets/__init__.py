"""Nets of Paddle: read as net specs, given ParamAttrs or exact values, and run.

Modules other than `standalone` import paddle inside what needs it.
"""
