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
    /// Does what has to be before, and gives the calls.
    let prepare: @Sendable (ProviderTown) async throws -> Calls
    /// What the call does once its key is forgotten.
    let afterwards: Afterwards

    /// Makes the call, and answers what may not change from the first time to the next.
    typealias Call = @Sendable (Gateway, CallContext) async throws -> String

    /// A row's calls.
    struct Calls: Sendable {
        let same: Call
        /// Somebody else's, good in itself.
        let other: Call
        /// The same, with what has run out since made anew: a caller who comes so late has refreshed
        /// the session, and proved to be its owner where that is asked for.
        let late: @Sendable () async throws -> Call
    }

    /// What a call does that comes again under a key which nobody knows any more.
    enum Afterwards: Hashable, Sendable {
        /// What it does, it does anew.
        case acts
        /// What it wants has been done: the state says so.
        case refused(ErrorCode)
        /// There is nothing left to do, which is no error.
        case nothing
    }

    var testDescription: String { method }

    /// - Parameters:
    ///   - call: calls the method.
    ///   - afterwards: what it does 24 hours later.
    ///   - renew: makes anew what has run out of the first request by then.
    ///   - requests: does what has to be before, and gives two requests that are good each: the other
    ///     one is somebody else's.
    init<Request: Sendable, Answer: ProtobufMessage>(
        _ method: String,
        _ call: @escaping @Sendable (Gateway, Request, CallContext) async throws -> Answer,
        afterwards: Afterwards,
        renew: @escaping @Sendable (ProviderTown, inout Request) async throws -> Void = { _, _ in },
        _ requests: @escaping @Sendable (ProviderTown) async throws -> (Request, Request)
    ) {
        self.method = method
        self.afterwards = afterwards
        @Sendable func lasting(_ request: Request) -> Call {
            { try Self.lasting(try await call($0, request, $1), method) }
        }
        prepare = { town in
            let (same, other) = try await requests(town)
            return Calls(
                same: lasting(same), other: lasting(other),
                late: {
                    var late = same
                    try await renew(town, &late)
                    return lasting(late)
                })
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

    /// What a day may change beside it: the account's last sign-in, which is moved by the proof that a
    /// late caller makes anew, and the limiter's count, since it remembers charges for a shorter time.
    private static let passingInADay = ["lastSignInAtMs", "attempt"]

    /// An answer without what a day may change.
    static func afterADay(_ answer: String) -> [String] {
        answer.split(separator: "\n")
            .filter { line in !passingInADay.contains { line.contains("\"\($0)\"") } }
            .map { String($0.last == "," ? $0.dropLast() : $0) }
    }

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
