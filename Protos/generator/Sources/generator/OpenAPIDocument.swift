import SwiftProtobufPluginLibrary

/// The web service's description in OpenAPI 3.1: its public methods as calls with JSON, and its
/// paths that are no calls (`OpenAPIPaths`). Streams are left out: OpenAPI has no form for them.
struct OpenAPIDocument {
    private var schemas = OpenAPISchemas()
    private var tags: [JSONText] = []
    private var paths: JSONText.Members = []

    /// - Parameter files: All of the project's files.
    init(_ files: [FileDescriptor]) {
        for service in files.flatMap(\.services) {
            let methods = service.methods.filter {
                MethodOptions($0).isPublic && $0.streams == .none
            }
            guard !methods.isEmpty else { continue }
            let comment = prose(service.protoSourceComments(commentPrefix: ""))
            tags.append(["name": .string(service.name), "description": .string(comment)])
            for method in methods {
                paths.append(("/\(service.fullName)/\(method.name)", ["post": operation(method)]))
            }
        }
        for message in files.flatMap(\.messages) where message.fullName == "postern.wire.v1.Error" {
            _ = schemas.add(message)
        }
        tags.append(["name": "HTTP", "description": "What is read by URL, without a call."])
    }

    /// The document, as it is served.
    var text: String { json.text() }

    private var json: JSONText {
        [
            "openapi": "3.1.0",
            "info": OpenAPIPaths.info,
            "servers": [["url": "/"]],
            "tags": .array(tags),
            "paths": .object(paths + OpenAPIPaths.paths),
            "components": [
                "securitySchemes": OpenAPIPaths.securitySchemes,
                "parameters": OpenAPIPaths.parameters,
                "headers": OpenAPIPaths.headers,
                "schemas": .object(schemas.all + OpenAPIPaths.schemas),
            ],
        ]
    }

    private mutating func operation(_ method: MethodDescriptor) -> JSONText {
        let options = MethodOptions(method)
        var parameters = ["connectProtocolVersion", "acceptLanguage"]
        if !options.isIdempotent { parameters.append("idempotencyKey") }
        let comment = method.protoSourceComments(commentPrefix: "")
        return [
            "tags": [.string(method.service.name)],
            "operationId": .string(lowerCamel(method.name)),
            "description": .string(prose(comment)),
            "security": Self.security(options.session),
            "parameters": .array(
                parameters.map { ["$ref": .string("#/components/parameters/\($0)")] }),
            "requestBody": [
                "required": true, "content": Self.json(["$ref": schemas.add(method.inputType)]),
            ],
            "responses": [
                "200": [
                    "description": "The call succeeded.",
                    "content": Self.json(["$ref": schemas.add(method.outputType)]),
                ],
                "default": Self.failure(errorCodes(comment).flatMap(\.self)),
            ],
        ]
    }

    private static func failure(_ codes: [String]) -> JSONText {
        let own = codes.isEmpty ? "" : " Own codes: \(codes.joined(separator: ", "))."
        return [
            "description": .string("The call failed; `errorCode` says why.\(own)"),
            "headers": ["retry-after": ["$ref": "#/components/headers/retryAfter"]],
            "content": json(["$ref": "#/components/schemas/ConnectError"]),
        ]
    }

    /// Whose access token a call needs besides the app's key.
    private static func security(_ session: MethodOptions.Session) -> JSONText {
        switch session {
        case .unspecified, .none: [["app": []]]
        case .optional, .anyAge: [["app": []], ["app": [], "accessToken": []]]
        case .required: [["app": [], "accessToken": []]]
        }
    }

    private static func json(_ schema: JSONText) -> JSONText {
        ["application/json": ["schema": schema]]
    }
}
