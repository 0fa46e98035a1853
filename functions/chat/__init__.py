"""
POST /chat, streamed: the ASGI application that runs under the Lambda Web Adapter, and in the demo.
"""
