import SwiftProtobufPluginLibrary

/// Which sides of a call send items; the cases are those of `MethodDescription.Streams`.
enum MethodStreams {
    case none
    case response
    case request
    case both
}

extension MethodDescriptor {
    var streams: MethodStreams {
        switch (clientStreaming, serverStreaming) {
        case (false, false): .none
        case (false, true): .response
        case (true, false): .request
        case (true, true): .both
        }
    }
}

/// The Swift code of one method: how it is called, how it is served, and what ties both.
struct MethodCode {
    let method: MethodDescriptor

    init(_ method: MethodDescriptor) {
        self.method = method
    }

    var name: String { escaped(lowerCamel(method.name)) }

    var comment: String {
        docComment(method.protoSourceComments(commentPrefix: ""), indent: "    ")
    }

    /// Whether it is a call about an account, which its owner judges before the method runs: in a
    /// session that it must have, or of a backend that names the account.
    var isAboutAnAccount: Bool {
        MethodOptions(method).session == .required
            || method.inputType.fields.contains {
                $0.messageType?.fullName == "postern.gateway.v1.BackendCall"
            }
    }

    private var request: String { method.inputType.swiftName }
    private var response: String { method.outputType.swiftName }
    private var isOnLoop: Bool { MethodOptions(method).isOnLoop }

    private func function(
        _ parameters: String, _ result: String, _ last: String = "_ context: CallContext"
    ) -> String {
        """
            func \(name)(
                \(parameters), \(last)
            ) \(result)
        """
    }

    // MARK: Calling

    /// What a client calls.
    var api: String {
        switch method.streams {
        case .none: function("_ request: \(request)", "async throws -> \(response)")
        case .response: function("_ request: \(request)", "-> IncomingItems<\(response)>")
        case .request:
            "    func \(name)(_ context: CallContext) -> ClientStreamCall<\(request), \(response)>"
        case .both:
            "    func \(name)(_ context: CallContext) -> BidirectionalCall<\(request), \(response)>"
        }
    }

    /// The client's body of `api`.
    func calling(_ description: String) -> String {
        switch method.streams {
        case .none: "try await channel.call(\n            \(description), request, context)"
        case .response: "channel.serverStream(\(description), request, context)"
        case .request: "channel.clientStream(\(description), context)"
        case .both: "channel.bidirectional(\(description), context)"
        }
    }

    // MARK: Serving

    /// What a server implements where that is not `api`.
    var serving: String? {
        if method.streams == .none {
            return isOnLoop ? function("_ request: \(request)", "throws -> \(response)") : nil
        }
        return function(parameters, result)
    }

    /// What an owner implements.
    var framed: String { function(parameters, result, "_ call: Call") }

    /// `framed` with the call of a context.
    func unframed(_ descriptions: String) -> String {
        let arguments =
            switch method.streams {
            case .none: "request"
            case .response: "request, items"
            case .request: "items"
            case .both: "incoming, outgoing"
            }
        let first = method.clientStreaming ? "nil" : "request"
        return """
                package \(function(parameters, result).drop { $0 == " " }) {
                    try await \(name)(
                        \(arguments), call(\(descriptions).\(name), \(first), context))
                }

            """
    }

    private var parameters: String {
        switch method.streams {
        case .none: "_ request: \(request)"
        case .response: "_ request: \(request),\n        _ items: OutgoingItems<\(response)>"
        case .request: "_ items: IncomingItems<\(request)>"
        case .both:
            "_ incoming: IncomingItems<\(request)>,\n        "
                + "_ outgoing: OutgoingItems<\(response)>"
        }
    }

    private var result: String {
        method.serverStreaming ? "async throws" : "async throws -> \(response)"
    }

    /// What its implementer should know.
    var note: String {
        switch method.streams {
        case .none: "On the connection's event loop: it may not wait."
        case .response, .both: "Its return ends the items."
        case .request: "Its answer ends the call, whether or not all items were taken."
        }
    }

    /// `api` of a service with streams, made from what it serves.
    var inProcess: String? {
        let body: String
        switch method.streams {
        case .none: return nil
        case .response: body = "try await \(name)(request, $0, context)"
        case .request: body = "try await \(name)($0, context)"
        case .both: body = "try await \(name)($0, $1, context)"
        }
        return "    package " + api.drop { $0 == " " }
            + " {\n        .inProcess { \(body) }\n    }\n"
    }

    /// The method's entry in the dispatcher.
    func handler(_ descriptions: String) -> String {
        let (parameters, call): (String, String)
        switch method.streams {
        case .none:
            (parameters, call) = ("request: \(request), context", "(request, context)")
        case .response:
            (parameters, call) = (
                "request: \(request), items: OutgoingItems<\(response)>,\n"
                    + "                     context",
                "(request, items, context)"
            )
        case .request:
            (parameters, call) = ("items: IncomingItems<\(request)>, context", "(items, context)")
        case .both:
            (parameters, call) = (
                "incoming: IncomingItems<\(request)>, outgoing: OutgoingItems<\(response)>,\n"
                    + "                     context", "(incoming, outgoing, context)"
            )
        }
        return """
                            .\(kind)(\(descriptions).\(name)) {
                                (\(parameters)) in
                                \(isOnLoop ? "try" : "try await") service.\(name)\(call)
                            },

            """
    }

    private var kind: String {
        switch method.streams {
        case .none: isOnLoop ? "onLoop" : "async"
        case .response: "serverStream"
        case .request: "clientStream"
        case .both: "bidirectional"
        }
    }
}
