import ArgumentParser
import Cryptography
import Glibc
import JSON
import Messages
import RPC
import ServiceRuntime

/// `postern call`: calls any method of any service with JSON.
struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Calls a method with a JSON request and prints the JSON response.",
        discussion: """
            The request is given as text, as @FILE, or as - for standard input, and so is the \
            access token of --token. Give passwords and tokens by - or @FILE: other users of the \
            machine can see arguments.

            If a method receives a stream, each line of the request is one item, sent as soon as \
            it is read, and the end of the request ends the stream. If a method returns a stream, \
            each item is printed as it arrives, in one line of JSON.

            `postern methods` lists what can be called; `postern describe METHOD` shows its fields \
            and prints a request to start from.

            Ctrl-C cancels the call. Exits with 1 when the call fails, is cancelled or takes \
            longer than --timeout. The error is then on standard output, as JSON, and on standard \
            error with the service's address and what to do.
            """)

    @Argument(help: "For example postern.gateway.v1.Auth/SignInWithPassword.")
    var method: String

    @Argument(help: "The request: JSON, @FILE, or - for standard input; a line for each item.")
    var request = "{}"

    @Option(help: "Metadata of the call, KEY=VALUE; may be repeated.")
    var metadata: [String] = []

    @Option(help: "Access token of the session to call in: the token, @FILE, or -.")
    var token: String?

    @OptionGroup var services: EndpointsOption

    @Option(help: "The service to call, for methods that all have (health, reflection).")
    var service: String?

    @Option(help: "Timeout of the call in seconds (default: 10; with streams 3600).")
    var timeout: Int?

    func validate() throws {
        guard (1...3_600).contains(timeout ?? 1) else {
            throw ValidationError("--timeout is 1 to 3600 seconds")
        }
        guard token != "-" || request != "-" else {
            throw ValidationError("only one of the request and --token can be standard input")
        }
    }

    func run() async throws {
        let service = service ?? serviceOfMethod
        let endpoints = try Endpoints(services.endpoints)
        do {
            let caller = try Caller(endpoints, service: service)
            try await caller.call(
                method, RequestText(request), metadata: fields(), token: accessToken(),
                timeout: timeout.map { .seconds($0) }, show: Screen.item)
        } catch {
            let directory = MethodDirectory.compiled()
            let suggestion = directory.suggestion(for: method)
            guard let error = error as? ServiceError else {
                // The name may be why: `postern.horse.v1.Horses/List` has no service to call.
                if error is ToolError { suggestion.map(Screen.error) }
                // These name fields of a schema that the service has sent.
                guard error is MappingError || error is SchemaError else { throw error }
                throw ToolError("\(error)")
            }
            // For programs, on the stream of the response; then for a person.
            let json = JSONValue.object(WireV1.Error(error).json)
            Screen.line(JSONWriter.text(json, .shown, pretty: true))
            let address = endpoints.address(of: service)?.description ?? ""
            var failure = CallFailure(
                error: error, service: service, address: address, suggestion: suggestion)
            if suggestion == nil, directory.methods[method] == nil {
                failure.notFound =
                    "check for a typing mistake; `postern methods` lists what the services have"
            }
            failure.lines.forEach(Screen.error)
            throw ExitCode(1)
        }
    }

    /// `postern.ratelimit.v1.Limits/Peek` → `rate-limit`.
    private var serviceOfMethod: String {
        let parts = method.split(separator: ".")
        guard parts.count > 1 else { return "gateway" }
        switch parts[1] {
        case "ratelimit": return "rate-limit"
        case "health", "reflection": return "gateway"
        default: return String(parts[1])
        }
    }

    /// The access token as given, without line breaks.
    private func accessToken() throws -> String? {
        try token.map { try RequestText($0).whole().split { $0.isWhitespace }.joined() }
    }

    /// The given metadata. The gateway's limits need a client address: here it is this machine's.
    private func fields() throws -> Metadata {
        var fields = Metadata()
        fields[Metadata.Key.clientAddress] = "127.0.0.1"
        for text in metadata {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ToolError("\(text): metadata is KEY=VALUE")
            }
            fields[String(parts[0])] = String(parts[1])
        }
        return fields
    }
}

/// The request as given on the command line: JSON, `@FILE`, or `-` for standard input.
struct RequestText {
    private let argument: String

    init(_ argument: String) { self.argument = argument }

    /// The whole text, for a method that takes one message.
    func whole() throws -> String {
        guard argument == "-" || argument.hasPrefix("@") else { return argument }
        let file = argument == "-" ? "-" : String(argument.dropFirst())
        return String(decoding: try TextFile.read(file), as: UTF8.self)
    }

    /// The lines, for a method that takes items; those of standard input as they arrive.
    func lines() throws -> ItemLines {
        argument == "-" ? ItemLines(file: STDIN_FILENO) : ItemLines(Array(try whole().utf8))
    }
}
