import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import Testing

/// A mutating method of the gateway and a call of it that can be made twice. `RepeatedCalls` is the
/// table of all.
struct RepeatedCall: Sendable, CustomTestStringConvertible {
    /// `Service/Method`.
    let method: String
    /// Creates what the calls need and returns them.
    let prepare: @Sendable (ProviderFixture) async throws -> Calls
    /// What the call does once its key is forgotten.
    let afterwards: Afterwards

    /// Makes the call and returns the part of its response that must be equal in a repeat.
    typealias Call = @Sendable (RepeatFixture, CallContext) async throws -> String

    /// The calls of a row.
    struct Calls: Sendable {
        let same: Call
        /// A call of another user, valid by itself.
        let other: Call
        /// The same call with renewed tokens: a client that repeats it so late has refreshed the
        /// session, and re-authenticated where that is required.
        let late: @Sendable () async throws -> Call
    }

    /// What a call does when its key has been forgotten.
    enum Afterwards: Hashable, Sendable {
        /// It has its effect again.
        case acts
        /// It fails with this error, because the state shows that it has been done.
        case refused(ErrorCode)
        /// There is nothing left to do, which is no error.
        case nothing
    }

    var testDescription: String { method }

    /// - Parameters:
    ///   - call: Calls the method.
    ///   - afterwards: What the call does 24 hours later.
    ///   - renew: Renews what has expired in the first request by then.
    ///   - requests: Creates what is needed and returns two valid requests. The second is another
    ///     user's.
    init<Request: Sendable, Answer: ProtobufMessage>(
        _ method: String,
        _ call: @escaping @Sendable (RepeatFixture, Request, CallContext) async throws -> Answer,
        afterwards: Afterwards,
        renew: @escaping @Sendable (ProviderFixture, inout Request) async throws -> Void = { _, _ in
        },
        _ requests: @escaping @Sendable (ProviderFixture) async throws -> (Request, Request)
    ) {
        self.method = method
        self.afterwards = afterwards
        @Sendable func lasting(_ request: Request) -> Call {
            { try Self.lasting(try await call($0, request, $1), method) }
        }
        prepare = { fixture in
            let (same, other) = try await requests(fixture)
            return Calls(
                same: lasting(same), other: lasting(other),
                late: {
                    var late = same
                    try await renew(fixture, &late)
                    return lasting(late)
                })
        }
    }

    /// As `init`, for calls that are made in a session.
    static func inSession<Request: Sendable, Answer: ProtobufMessage>(
        _ method: String,
        _ call: @escaping @Sendable (RepeatFixture, Request, CallContext) async throws -> Answer,
        afterwards: Afterwards,
        renew: @escaping @Sendable (ProviderFixture, inout InSession<Request>) async throws -> Void,
        _ requests:
            @escaping @Sendable (ProviderFixture) async throws -> (
                InSession<Request>, InSession<Request>
            )
    ) -> RepeatedCall {
        RepeatedCall(
            method, { try await call($0, $1.request, $2.bearing($1.accessToken)) },
            afterwards: afterwards, renew: renew, requests)
    }

    /// Fields that may differ in a repeat: an access token, which expires before a late repeat; the
    /// time; and a wait that is counted from now.
    private static let passing = [
        "accessToken", "accessExpiresAtMs", "answeredAtMs", "nextAfterMs",
    ]

    /// Fields that may also differ after a day: the account's last sign-in, which the late
    /// re-authentication changes, and the limiter's counts, because the limiter forgets charges
    /// sooner.
    private static let passingInADay = ["lastSignInAtMs", "attempt", "remaining"]

    /// A response without the fields that may differ after a day.
    static func afterADay(_ answer: String) -> [String] {
        answer.split(separator: "\n")
            .filter { line in !passingInADay.contains { line.contains("\"\($0)\"") } }
            .map { String($0.last == "," ? $0.dropLast() : $0) }
    }

    /// The response as JSON without the fields that may differ.
    private static func lasting(
        _ answer: some ProtobufMessage, _ method: String
    ) throws -> String {
        let service = try #require(
            ServiceDescription.ofGateway.first {
                "postern.gateway.v1.\(method)".hasPrefix($0.name + "/")
            },
            "\(method): its service is not in the list")
        let schema = try Schema(fileDescriptorSet: service.fileDescriptorSet)
        let message = try #require(schema.message(named: type(of: answer).fullName))
        return try message.decodeToJSON(answer.encoded(), pretty: true).split(separator: "\n")
            .filter { line in !passing.contains { line.contains("\"\($0)\"") } }
            .joined(separator: "\n")
    }
}

/// A request, and the access token of the session that it is made in.
struct InSession<Request: Sendable>: Sendable {
    var accessToken: String
    var request: Request

    init(_ accessToken: String, _ request: Request) {
        self.accessToken = accessToken
        self.request = request
    }
}

extension GatewayFixture {
    /// The effects of calls so far: audit records of identity and session, sessions, messages, and
    /// writes of documents. A record of a repeated response is no effect.
    func effects() async throws -> [Int64] {
        try await inner.settle()
        return [
            try await inner.count(inner.identityStore, "audit"),
            try await inner.count(
                inner.sessionStore, "audit", where: "kind <> 'session.refresh-repeated'"),
            try await inner.count(inner.sessionStore, "session"),
            try await inner.count(inner.notificationStore, "message"),
            try await inner.documentVersions(),
        ]
    }
}
