import ArgumentParser
import JSON
import Messages
import ServiceRuntime

/// `postern methods`: what can be called.
struct MethodsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "methods",
        abstract: "Lists the methods of the running services, with their messages.",
        discussion: """
            If no service responds, the methods that this build of the tool knows are listed.

              postern methods              all methods
              postern methods password     those with password in their name, in any case
              postern describe METHOD      the fields of one method, and a request to start from
            """)

    @Argument(help: "Only methods whose full name contains this text, in any case.")
    var pattern = ""

    @OptionGroup var services: EndpointsOption
    @OptionGroup var output: OutputOption

    func run() async throws {
        let methods = await services.methodDirectory().matching(pattern)
        guard !methods.isEmpty else { throw ToolError("no method's name contains \(pattern)") }
        let width = methods.map(\.name.count).max() ?? 0
        try output.show(methods.map { $0.row(width) })
    }
}

/// `postern describe METHOD`: what to send, what comes back, and which errors.
struct DescribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Shows a method's fields, options and errors, and a request to start from.",
        discussion: """
            The errors are those of its own; `postern errors` lists the whole catalogue.

            Text in the request is a placeholder. Secrets are shown as …: give them to `postern \
            call` in a file or on standard input, since other users can see arguments.

              postern describe postern.gateway.v1.Auth/SignInWithPassword --json > request.json
              postern call postern.gateway.v1.Auth/SignInWithPassword @request.json
            """)

    @Argument(help: "For example postern.gateway.v1.Auth/SignInWithPassword.")
    var method: String

    @Flag(help: "Print only the request.")
    var json = false

    @OptionGroup var services: EndpointsOption
    @OptionGroup var output: OutputOption

    func run() async throws {
        let directory = await services.methodDirectory()
        guard let found = directory.methods[method] else {
            let hint = directory.suggestion(for: method) ?? "`postern methods` lists all"
            throw ToolError("there is no method \(method): \(hint)")
        }
        guard !json else { return try Screen.item(found.request) }
        try output.show(found.json, text: found.lines)
    }
}

extension EndpointsOption {
    /// The methods of the running services; if there are none, those that this build knows.
    fileprivate func methodDirectory() async -> MethodDirectory {
        // Without a valid endpoints file no service can be found.
        if let endpoints = try? Endpoints(endpoints),
            let running = await MethodDirectory.running(endpoints)
        {
            return running
        }
        Screen.error("no service responds; these are the methods that this build knows")
        return .compiled()
    }
}

extension SchemaMethod {
    /// `RefreshRequest → RefreshResponse`
    var messages: String {
        let (sent, received) = (hasRequestItems ? "stream " : "", hasResponseItems ? "stream " : "")
        return "\(sent)\(short(input.name)) → \(received)\(short(output.name))"
    }

    /// Its row in `postern methods`.
    /// - Parameter width: of the longest name.
    fileprivate func row(_ width: Int) -> Row {
        Row([
            .init("method", name, phrase: String(name.padded(to: width + 1).dropLast())),
            .init("messages", .string(messages), text: messages),
            .init(json: "public", .boolean(options.isPublic)),
        ])
    }

    /// What `postern describe` shows, as JSON.
    fileprivate var json: JSONValue {
        func fields(_ message: SchemaMessage) -> JSONValue {
            .array(
                message.fields.map { field in
                    .object([
                        "name": .string(field.name), "type": .string(field.type),
                        "depth": .integer(Int64(field.depth)), "secret": .boolean(field.isSecret),
                    ])
                })
        }
        return .object([
            "method": .string(name), "options": .array(words.map { .string($0) }),
            "request": fields(input), "response": fields(output),
            "errors": .array((MethodDirectory.errors[name] ?? []).map { .string($0) }),
            "example": .string(request),
        ])
    }

    /// A request to start from. In one line if the method receives items, of which each is a line.
    var request: String { input.skeleton(pretty: !hasRequestItems) }

    /// The text of `postern describe`.
    var lines: [String] {
        [name, "  " + words.joined(separator: ", "), ""]
            + section(hasRequestItems ? "request, a stream of" : "request", input)
            + section(hasResponseItems ? "response, a stream of" : "response", output)
            + errors
            + [
                hasRequestItems
                    ? "a line for each item, for `postern call`:" : "for `postern call`:"
            ]
            + request.split(separator: "\n").map { "  \($0)" }
    }

    private var words: [String] {
        var words = [hasRequestItems || hasResponseItems ? "stream" : "unary"]
        words.append(options.isIdempotent ? "idempotent" : "not idempotent")
        if options.isCostly { words.append("costly: in a lane of its own") }
        if options.timeoutMilliseconds > 0 {
            words.append("timeout \(options.timeoutMilliseconds) ms")
        }
        if options.hedgeAfterMilliseconds > 0 {
            words.append("hedged after \(options.hedgeAfterMilliseconds) ms")
        }
        if options.isOnLoop { words.append("on the event loop") }
        if options.isPublic { words.append("public: also for browsers and phones") }
        if options.isForNamedCallersOnly { words.append("only for callers that name it") }
        switch options.session {
        case .unspecified: break
        case .none: words.append("no session")
        case .optional: words.append("a session (--token) is optional")
        case .required: words.append("needs a session (--token)")
        case .anyAge: words.append("in a session (--token), which may have expired")
        }
        return words
    }

    /// The codes with their sentences; nothing if the method has no errors of its own.
    private var errors: [String] {
        let codes = MethodDirectory.errors[name] ?? []
        guard !codes.isEmpty else { return [] }
        let width = codes.map(\.count).max() ?? 0
        let rows = codes.map { code in
            let sentence = ErrorCode(rawValue: code)?.sentence(in: .english) ?? ""
            return "  " + code.padded(to: width + 1) + " " + sentence
        }
        return ["errors of its own"] + rows + [""]
    }

    private func section(_ title: String, _ message: SchemaMessage) -> [String] {
        let width = message.fields.map { 2 * $0.depth + $0.name.count }.max() ?? 0
        let rows = message.fields.map { field in
            let name = String(repeating: "  ", count: field.depth) + field.name
            let others = field.alternatives.joined(separator: ", ")
            return "  " + name.padded(to: width + 1) + " " + field.type
                + (field.isSecret ? ", secret" : "")
                + (others.isEmpty ? "" : ", not together with \(others)")
        }
        return ["\(title) \(short(message.name))"] + (rows.isEmpty ? ["  no fields"] : rows) + [""]
    }

    private func short(_ name: String) -> String {
        name.split(separator: ".").last.map(String.init) ?? name
    }
}
