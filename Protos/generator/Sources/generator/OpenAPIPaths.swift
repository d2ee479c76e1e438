/// The parts of the OpenAPI document that come from no .proto: paths that are no calls, and what
/// HTTP adds to a call.
enum OpenAPIPaths {
    static let info: JSONText = [
        "title": "Postern",
        "version": "v1",
        "description": """
        Sign-up, sign-in and sessions for apps. Each method is a POST with a JSON object in \
        proto3's JSON mapping; fields may be left out, responses leave out fields with default \
        values, and unknown fields of requests are ignored. The same paths take gRPC, gRPC-Web \
        and Connect with binary messages. With `refresh: cookie` in an app's rules, refresh \
        tokens are in a cookie and not in bodies.
        """,
    ]

    static let securitySchemes: JSONText = [
        "app": [
            "type": "apiKey", "in": "header", "name": "x-postern-app",
            "description": """
            An app's key (`pk_…`) from the operator's apps file, which is no secret; or the \
            token of a backend (`postern token app`).
            """,
        ],
        "accessToken": [
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "The access token of the session in whose name the call is made.",
        ],
    ]

    static let parameters: JSONText = [
        "connectProtocolVersion": [
            "name": "connect-protocol-version", "in": "header",
            "description": "Required if the refresh token is in a cookie.",
            "schema": ["const": "1"],
        ],
        "acceptLanguage": [
            "name": "accept-language", "in": "header",
            "description": "The person's languages, for `userMessage` and for mails.",
            "schema": ["type": "string", "examples": ["de, en;q=0.8"]],
        ],
        "idempotencyKey": [
            "name": "idempotency-key", "in": "header",
            "description": "Random; a retry with the same key within a day gets the first answer.",
            "schema": ["type": "string", "minLength": 16, "maxLength": 255],
        ],
    ]

    static let headers: JSONText = [
        "retryAfter": [
            "description": "With 429 and 503: seconds until the call may succeed.",
            "schema": ["type": "integer"],
        ]
    ]

    static let schemas: JSONText.Members = [
        ("ConnectError", connectError),
        ("OAuthError", oauthError),
    ]

    private static let connectError: JSONText = [
        "type": "object",
        "description": "An error of the Connect protocol.",
        "required": ["code"],
        "properties": [
            "code": [
                "type": "string",
                "enum": [
                    "canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found",
                    "already_exists", "permission_denied", "resource_exhausted",
                    "failed_precondition", "aborted", "out_of_range", "unimplemented", "internal",
                    "unavailable", "data_loss", "unauthenticated",
                ],
            ],
            "message": ["type": "string"],
            "errorCode": [
                "type": "string",
                "description": "The detail's `code`, such as `auth/weak-password`: decide by it.",
            ],
            "userMessage": ["type": "string", "description": "The detail's, to show."],
            "action": ["type": "string", "description": "The detail's."],
            "retryAfterMs": [
                "type": "string", "format": "int64", "description": "The detail's.",
            ],
            "details": [
                "type": "array",
                "items": [
                    "type": "object",
                    "properties": [
                        "type": ["type": "string", "examples": ["postern.wire.v1.Error"]],
                        "value": [
                            "type": "string", "contentEncoding": "base64",
                            "description": "The message in binary.",
                        ],
                        "debug": ["$ref": "#/components/schemas/Error"],
                    ],
                ],
            ],
        ],
    ]

    private static let oauthError: JSONText = [
        "type": "object",
        "description": "An error of RFC 6749, 5.2.",
        "required": ["error"],
        "properties": [
            "error": ["type": "string"], "error_description": ["type": "string"],
        ],
    ]

    static let paths: JSONText.Members = [
        (
            "/.well-known/jwks.json",
            reading("getJSONWebKeySet", "The keys that sign access tokens (RFC 7517).")
        ),
        (
            "/.well-known/openid-configuration",
            reading("getOpenIDConfiguration", "Where verifiers find the keys.")
        ),
        (
            "/.well-known/oauth-authorization-server",
            reading("getAuthorizationServer", "The same, where RFC 8414 looks for it.")
        ),
        ("/health", health),
        ("/oauth2/introspect", introspect),
        ("/oauth2/revoke", revoke),
        ("/apple/callback", appleCallback),
        ("/apple/notifications", appleNotifications),
        ("/google/notifications", googleNotifications),
        ("/v1/guest-bundle", uploadGuestBundle),
        ("/v1/exports/{exportId}", fetchDataExport),
        ("/v1/photo", uploadPhoto),
        ("/v1/photos/{name}", downloadPhoto),
    ]

    private static func reading(_ name: JSONText, _ description: JSONText) -> JSONText {
        [
            "get": [
                "tags": ["HTTP"], "operationId": name, "description": description, "security": [],
                "responses": [
                    "200": [
                        "description": "The document.",
                        "content": ["application/json": ["schema": ["type": "object"]]],
                    ]
                ],
            ]
        ]
    }

    private static let health: JSONText = [
        "get": [
            "tags": ["HTTP"], "operationId": "getHealth", "security": [],
            "description": "For load balancers.",
            "responses": [
                "200": ["description": "Calls can be answered."],
                "503": ["description": "Calls cannot be answered at the moment."],
            ],
        ]
    ]

    private static let introspect: JSONText = [
        "post": [
            "tags": ["HTTP"], "operationId": "introspect", "security": [["app": []], [:]],
            "description": """
            Whether an access token is valid now, with its claims (RFC 7662). For backends: a \
            token in `x-postern-app`, or the same token as `client_assertion` (RFC 7523).
            """,
            "requestBody": form,
            "responses": [
                "200": [
                    "description": "The claims, or `{\"active\": false}`.",
                    "content": [
                        "application/json": [
                            "schema": [
                                "type": "object", "required": ["active"],
                                "properties": ["active": ["type": "boolean"]],
                            ]
                        ]
                    ],
                ],
                "default": oauthFailure,
            ],
        ]
    ]

    private static let revoke: JSONText = [
        "post": [
            "tags": ["HTTP"], "operationId": "revoke", "security": [["app": []], [:]],
            "description": """
            Ends the session of a refresh token or an access token (RFC 7009). An unknown token \
            is no error. An app may send its key as `client_id`.
            """,
            "requestBody": form,
            "responses": [
                "200": ["description": "The session has ended."], "default": oauthFailure,
            ],
        ]
    ]

    private static let form: JSONText = [
        "required": true,
        "content": [
            "application/x-www-form-urlencoded": [
                "schema": [
                    "type": "object", "required": ["token"],
                    "properties": [
                        "token": ["type": "string", "format": "password", "writeOnly": true],
                        "token_type_hint": ["type": "string"],
                        "client_id": ["type": "string"],
                        "client_assertion": ["type": "string"],
                        "client_assertion_type": ["type": "string"],
                    ],
                ]
            ]
        ],
    ]

    private static let oauthFailure: JSONText = [
        "description": "The request failed.",
        "content": [
            "application/json": ["schema": ["$ref": "#/components/schemas/OAuthError"]]
        ],
    ]

    private static let mediaTypes = ["image/jpeg", "image/png", "image/webp"]

    private static let callFailure: JSONText = [
        "description": "As of a call; `errorCode` says why.",
        "content": [
            "application/json": ["schema": ["$ref": "#/components/schemas/ConnectError"]]
        ],
    ]

    private static let uploadGuestBundle: JSONText = [
        "put": [
            "tags": ["HTTP"], "operationId": "uploadGuestBundle",
            "security": [["app": [], "accessToken": []]],
            "description": """
            Uploads documents that an app kept on the device while its user was a guest, for a \
            migration into the caller's account: 1 to 200, in at most 2 MiB. Of a document that the \
            account has too, the newer one is kept. Own codes of errors: auth/account-required, \
            auth/document-quota, auth/invalid-document, auth/too-many-requests, \
            auth/invalid-access-token, auth/session-ended, auth/user-disabled, \
            auth/idempotency-key-reused.
            """,
            "parameters": [["$ref": "#/components/parameters/idempotencyKey"]],
            "requestBody": [
                "required": true,
                "content": ["application/json": ["schema": guestBundle]],
            ],
            "responses": [
                "200": [
                    "description": "The migration, which goes on after the response.",
                    "content": [
                        "application/json": ["schema": ["$ref": "#/components/schemas/Migration"]]
                    ],
                ],
                "default": callFailure,
            ],
        ]
    ]

    private static let fetchDataExport: JSONText = [
        "get": [
            "tags": ["HTTP"], "operationId": "downloadDataExport",
            "security": [["app": [], "accessToken": []]],
            "description": """
            The archive with all data of the caller's account, to save as a file. Needs a proof of \
            the last five minutes. Own codes of errors: auth/requires-recent-login, \
            auth/invalid-access-token, auth/session-ended, auth/user-disabled.
            """,
            "parameters": [
                [
                    "name": "exportId", "in": "path", "required": true,
                    "description": "The export's `export_id`.", "schema": ["type": "string"],
                ],
                [
                    "name": "range", "in": "header",
                    "description": "One range of bytes, to go on with a download.",
                    "schema": ["type": "string", "examples": ["bytes=65536-"]],
                ],
            ],
            "responses": [
                "200": ["description": "The archive.", "content": archive],
                "206": ["description": "A part of it.", "content": archive],
                "416": ["description": "The range begins behind its end."],
                "default": callFailure,
            ],
        ]
    ]

    private static let guestBundle: JSONText = [
        "type": "object", "required": ["documents"],
        "properties": [
            "documents": [
                "type": "array", "minItems": 1, "maxItems": 200,
                "items": [
                    "type": "object", "required": ["collection", "name", "changedAtMs"],
                    "description": "A document has `json` or `document`.",
                    "properties": [
                        "collection": ["type": "string"], "name": ["type": "string"],
                        "document": ["type": "object", "description": "The document."],
                        "json": ["type": "string", "description": "The same as text."],
                        "changedAtMs": [
                            "type": ["string", "integer"], "format": "int64",
                            "description": """
                            When it was last changed on the device, in milliseconds since 1970.
                            """,
                        ],
                    ],
                ],
            ]
        ],
    ]

    private static let archive: JSONText = [
        "application/zip": ["schema": ["type": "string", "format": "binary"]]
    ]

    private static let uploadPhoto: JSONText = [
        "put": [
            "tags": ["HTTP"], "operationId": "uploadPhoto",
            "security": [["app": [], "accessToken": []]],
            "description": """
            Replaces the photo of the caller's profile: at most 5 MiB (of a guest 256 KiB by \
            default) and 8192 by 8192 pixels, with `content-length`. The kind of image is known by its content. Own codes of errors: \
            auth/invalid-photo, auth/too-many-requests, auth/invalid-access-token, \
            auth/session-ended, auth/user-disabled.
            """,
            "requestBody": ["required": true, "content": images],
            "responses": [
                "200": [
                    "description": "The photo, as it is served from now on.",
                    "content": [
                        "application/json": ["schema": ["$ref": "#/components/schemas/Photo"]]
                    ],
                ],
                "default": callFailure,
            ],
        ]
    ]

    private static let downloadPhoto: JSONText = [
        "get": [
            "tags": ["HTTP"], "operationId": "downloadPhoto",
            "security": [[:], ["accessToken": []]],
            "description": """
            A photo, for an `<img>`: to anyone who knows its name, or with its owner's access token \
            only, as the operator chooses (setting `photos`); otherwise 404.
            """,
            "parameters": [
                [
                    "name": "name", "in": "path", "required": true,
                    "description": "The photo's `name`.", "schema": ["type": "string"],
                ]
            ],
            "responses": [
                "200": ["description": "The photo.", "content": images],
                "304": ["description": "The client has it (`if-none-match`)."],
                "default": callFailure,
            ],
        ]
    ]

    private static let images: JSONText = .object(
        mediaTypes.map { ($0, ["schema": ["type": "string", "format": "binary"]]) })
}
