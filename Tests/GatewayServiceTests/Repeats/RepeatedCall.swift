import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import Testing

/// A mutating method of the gateway, with a call of it that can be made twice. The table of them is in
/// `RepeatedCalls`.
struct RepeatedCall: Sendable, CustomTestStringConvertible {
    /// `Service/Method`.
    let method: String
    /// Does what has to be before, and gives the two calls.
    let prepare: @Sendable (ProviderTown) async throws -> (same: Call, other: Call)

    /// Makes the call, and answers what may not change from the first time to the next.
    typealias Call = @Sendable (Gateway, CallContext) async throws -> String

    var testDescription: String { method }

    /// - Parameters:
    ///   - call: calls the method.
    ///   - requests: does what has to be before, and gives two requests that are good each: the other
    ///     one is somebody else's.
    init<Request: Sendable, Answer: ProtobufMessage>(
        _ method: String,
        _ call: @escaping @Sendable (Gateway, Request, CallContext) async throws -> Answer,
        _ requests: @escaping @Sendable (ProviderTown) async throws -> (Request, Request)
    ) {
        self.method = method
        prepare = { town in
            let (same, other) = try await requests(town)
            return (
                { try Self.lasting(try await call($0, same, $1), method) },
                { try Self.lasting(try await call($0, other, $1), method) }
            )
        }
    }

    /// The services that the table is of, for their descriptors.
    private static let services = [
        AuthDescription.service, PasswordsDescription.service, AccountSessionsDescription.service,
        ProvidersDescription.service, GuestsDescription.service, SignInMethodsDescription.service,
        PhoneSignInDescription.service, EmailsDescription.service,
    ]

    /// What may be made anew: an access token, which expires before a late repeat; the time, and a wait
    /// that is counted from now.
    private static let passing = [
        "accessToken", "accessExpiresAtMs", "serverTimeMs", "nextAfterMs",
    ]

    /// The answer as JSON, without what passes.
    private static func lasting(
        _ answer: some ProtobufMessage, _ method: String
    ) throws -> String {
        let service = try #require(
            services.first { "postern.gateway.v1.\(method)".hasPrefix($0.name + "/") },
            "\(method): its service is not in the list")
        let bytes = try #require(Base64.decode(Array(service.fileDescriptorSet.utf8)))
        let message = try #require(
            try Schema(fileDescriptorSet: bytes).message(named: type(of: answer).fullName))
        return try message.decodeToJSON(answer.encoded(), pretty: true).split(separator: "\n")
            .filter { line in !passing.contains { line.contains("\"\($0)\"") } }
            .joined(separator: "\n")
    }
}

extension GatewayHouse {
    /// What calls have done so far: records of it at identity and session, sessions, and mails that
    /// were sent. That an answer was given again is a record, and no effect.
    func effects() async throws -> [Int64] {
        try await inner.settle()
        return [
            try await inner.count(inner.identityStore, "audit"),
            try await inner.count(
                inner.sessionStore, "audit", where: "kind <> 'session.refresh-repeated'"),
            try await inner.count(inner.sessionStore, "session"),
            try await inner.count(inner.notificationStore, "message"),
        ]
    }
}
