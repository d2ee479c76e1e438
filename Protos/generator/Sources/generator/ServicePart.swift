import SwiftProtobufPluginLibrary

/// What one program implements of a service: all of it, or of a service of the gateway what the
/// gateway composes, or what it passes on to one owner (`postern.options.v1.owner`).
struct ServicePart {
    private let service: ServiceDescriptor
    private let methods: [MethodCode]
    private let owner: MethodOptions.Owner?
    private let isWhole: Bool

    /// - Parameters:
    ///   - owner: nil for the program whose service it is.
    ///   - isWhole: whether the part has all methods.
    init(
        _ service: ServiceDescriptor, _ methods: [MethodDescriptor], owner: MethodOptions.Owner?,
        isWhole: Bool
    ) {
        self.service = service
        self.methods = methods.map(MethodCode.init)
        self.owner = owner
        self.isWhole = isWhole
    }

    /// `Documents`, or `IdentityEmails` for what identity implements of a service of the gateway.
    private var name: String {
        guard let owner, !isWhole else { return service.name }
        return owner == .identity ? "Identity\(service.name)" : "Session\(service.name)"
    }

    /// The methods that get a judged call instead of a context.
    private var framed: [MethodCode] { owner == nil ? [] : methods.filter(\.isAboutAnAccount) }

    private var description: String { "\(service.name)Description" }

    // MARK: Protocol

    var serviceProtocol: String {
        let own = owner != nil || !isWhole ? methods : methods.filter { $0.serving != nil }
        var text = "/// What a server of `\(service.fullName)` implements"
        text += owner.map { ": the \($0) service" } ?? ""
        text += isWhole ? ".\n" : ", of these methods.\n"
        text += "package protocol \(name)Service: \(isWhole ? "\(service.name)API" : "Sendable") {"
        text += own.isEmpty ? "" : "\n"
        text += framed.isEmpty ? "" : Self.frame
        text += own.map(requirement).joined(separator: "\n")
        return text + "}\n" + inProcess
    }

    /// What comes before the methods of an owner that are about an account.
    private static let frame = """
            /// What is known of a call before its method runs.
            associatedtype Call: Sendable

            /// Judges who calls, and reads what the gateway says of the call in its metadata.
            /// - Parameter request: nil for a method whose request is a stream.
            /// - Throws: `ServiceError` for a call that must not go on.
            func call(
                _ method: MethodDescription, _ request: (any ProtobufMessage)?,
                _ context: CallContext
            ) async throws -> Call


        """

    private func requirement(_ method: MethodCode) -> String {
        let note = method.serving == nil ? "" : "    ///\n    /// \(method.note)\n"
        let function = method.serving ?? method.api
        guard owner != nil, method.isAboutAnAccount else {
            return "\(method.comment)\(note)\(function)\n"
        }
        return "\(method.comment)\(note)\(method.framed)\n"
    }

    /// A service with streams, or of an owner, as its own program calls it.
    private var inProcess: String {
        var functions = framed.map { $0.unframed(description) }
        if isWhole { functions += methods.compactMap(\.inProcess) }
        guard !functions.isEmpty else { return "" }
        let face =
            framed.isEmpty
            ? "The client's face of the streams, for calls in process."
            : "The methods as a dispatcher calls them."
        return """

            /// \(face)
            extension \(name)Service {
            \(functions.joined(separator: "\n"))\
            }

            """
    }

    // MARK: Dispatcher

    var dispatcher: String {
        """
        /// Serves `\(service.fullName)`.
        package enum \(name)Dispatcher {
            /// The handlers of `service`, for a server.
            package static func methods(
                of service: some \(name)Service
            ) -> ServiceMethods {
                ServiceMethods(
                    \(description).service,
                    [
        \(methods.map { $0.handler(description) }.joined())\
                    ])
            }
        }

        """
    }
}
