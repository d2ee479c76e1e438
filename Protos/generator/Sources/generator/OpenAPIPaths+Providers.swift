/// The paths that providers of sign-ins post to.
extension OpenAPIPaths {
    static let appleCallback: JSONText = [
        "post": [
            "tags": ["HTTP"], "operationId": "returnFromApple", "security": [],
            "description": """
            The `redirect_uri` of Apple's dialog with `response_mode=form_post`, on Android and on \
            the web: hands Apple's answer to the page or the Android app that the operator has \
            entered for the app whose name, with a dot, begins `state`.
            """,
            "requestBody": [
                "required": true,
                "content": [
                    "application/x-www-form-urlencoded": [
                        "schema": [
                            "type": "object", "required": ["state"],
                            "properties": [
                                "state": ["type": "string"], "code": ["type": "string"],
                                "id_token": ["type": "string"], "user": ["type": "string"],
                                "error": ["type": "string"],
                            ],
                        ]
                    ]
                ],
            ],
            "responses": [
                "303": ["description": "To the app."],
                "400": ["description": "No app is known by it. A page says so."],
            ],
        ]
    ]

    static let appleNotifications: JSONText = [
        "post": [
            "tags": ["HTTP"], "operationId": "receiveAppleNotification", "security": [],
            "description": "The URL to enter at Apple for its notifications from server to server.",
            "requestBody": [
                "required": true,
                "content": [
                    "application/json": [
                        "schema": [
                            "type": "object", "required": ["payload"],
                            "properties": ["payload": ["type": "string"]],
                        ]
                    ]
                ],
            ],
            "responses": [
                "200": ["description": "The notification has been processed."],
                "503": ["description": "Not processed; Apple sends it again."],
            ],
        ]
    ]

    static let googleNotifications: JSONText = [
        "post": [
            "tags": ["HTTP"], "operationId": "receiveGoogleNotification", "security": [],
            "description": """
            The URL to register at Google for the events of Cross-Account Protection (RFC 8935).
            """,
            "requestBody": [
                "required": true,
                "content": ["application/secevent+jwt": ["schema": ["type": "string"]]],
            ],
            "responses": [
                "202": ["description": "The event has been processed, or is not genuine."],
                "400": ["description": "The body is no security event token."],
                "503": ["description": "Not processed; Google sends it again."],
            ],
        ]
    ]
}
