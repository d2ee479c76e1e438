import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport

/// A session service that knows the owners of a few access tokens and how they authenticated.
final class KnownSessions: DevicesAPI {
    private let time: ManualTime
    private let state = Mutex<[String: SessionV1.ListProofsResponse]>([:])
    /// The accounts of all tokens, also of ended sessions.
    private let accounts = Mutex<[String: String]>([:])
    /// The ids of all sessions, by their tokens.
    private let ids = Mutex<[String: String]>([:])
    /// When tokens expire; those that are not here do not.
    private let ends = Mutex<[String: Timestamp]>([:])
    private let meanwhile = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(time: ManualTime) { self.time = time }

    /// Opens a session of `account` that was proved now.
    /// - Returns: its access token.
    func open(_ account: String, amr: [String] = ["pwd"]) -> String {
        let now = time.now().milliseconds
        let number = accounts.withLock { accounts in
            let number = accounts.count + 1
            accounts[Self.token(number)] = account
            return number
        }
        ids.withLock { $0[Self.token(number)] = Self.session(number) }
        state.withLock { state in
            state[Self.token(number)] = SessionV1.ListProofsResponse(
                sessionId: Self.session(number), accountId: account,
                proofs: [.init(amr: amr, provedAtMs: now)])
        }
        return Self.token(number)
    }

    private static func token(_ number: Int) -> String { "access-token-\(number)" }

    /// The account of a session that may have ended; nil for a token that was never issued.
    func account(ofEver token: String) -> String? { accounts.withLock { $0[token] } }

    /// The id of a session that may have ended; empty for a token that was never issued.
    func session(ofEver token: String) -> String { ids.withLock { $0[token] } ?? "" }

    /// The token of a session, by its id; nil for one that was never opened.
    func token(ofSession id: String) -> String? {
        ids.withLock { $0.first { $0.value == id }?.key }
    }

    /// Adds a second proof to a session.
    func proveAgain(_ token: String, amr: [String]) {
        let now = time.now().milliseconds
        state.withLock { $0[token]?.proofs.append(.init(amr: amr, provedAtMs: now)) }
    }

    /// Runs `body` once before the next answer. The answer is the state from before `body`.
    func onceAsked(_ body: @escaping @Sendable () async throws -> Void) {
        meanwhile.withLock { $0 = body }
    }

    /// The session of a token that is valid now, and when the token expires.
    func live(
        _ token: String
    ) -> (sessionId: String, accountId: String, expiresAtMs: Int64)? {
        let end = ends.withLock { $0[token] } ?? time.now() + .seconds(900)
        guard time.now() < end, let known = state.withLock({ $0[token] }) else { return nil }
        return (known.sessionId, known.accountId, end.milliseconds)
    }

    /// Whether the session of a token has not ended; the token may have expired.
    func isLive(_ token: String) -> Bool { state.withLock { $0[token] } != nil }

    /// Sets when a token expires.
    func expire(_ token: String, at moment: Timestamp) {
        ends.withLock { $0[token] = moment }
    }

    /// Ends the session of a token.
    func end(_ token: String) { state.withLock { $0[token] = nil } }

    /// The id of a token's session.
    func session(of token: String) -> String { state.withLock { $0[token]?.sessionId ?? "" } }

    private static func session(_ number: Int) -> String {
        SessionID(key: Int64(number))?.text ?? ""
    }

    func listProofs(
        _ request: SessionV1.ListProofsRequest, _ context: CallContext
    ) async throws -> SessionV1.ListProofsResponse {
        guard var known = state.withLock({ $0[request.accessToken] }) else {
            throw ServiceError(.sessionEnded)
        }
        known.nowMs = time.now().milliseconds
        let body = meanwhile.withLock { body in
            defer { body = nil }
            return body
        }
        try await body?()
        return known
    }

    func reauthenticate(
        _ request: SessionV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReauthenticateResponse { throw ServiceError(.unknownMethod) }
}

/// A notification service that records the accounts whose devices it is asked to revoke.
final class RecordingPushDevices: PushDevicesAPI {
    private let state = Mutex<[String]>([])
    private let hanging = Mutex<ManualTime?>(nil)

    /// The accounts, in order.
    var revoked: [String] { state.withLock { $0 } }

    /// From now on calls hang until their deadline passes on the given clock.
    func hang(_ time: ManualTime) { hanging.withLock { $0 = time } }

    func revokeAll(
        _ request: NotificationV1.RevokeDevicesRequest, _ context: CallContext
    ) async throws -> NotificationV1.RevokeDevicesResponse {
        if let time = hanging.withLock({ $0 }) {
            try await time.sleep(for: .seconds(10))
            throw ServiceError(.deadlineExceeded)
        }
        state.withLock { $0.append(request.accountId) }
        return .init(dropped: 1)
    }

    func register(
        _ request: NotificationV1.RegisterDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.RegisterDeviceResponse { throw ServiceError(.unknownMethod) }

    func update(
        _ request: NotificationV1.UpdateDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.UpdateDeviceResponse { throw ServiceError(.unknownMethod) }

    func unregister(
        _ request: NotificationV1.UnregisterDeviceRequest, _ context: CallContext
    ) async throws -> NotificationV1.UnregisterDeviceResponse { throw ServiceError(.unknownMethod) }

    func list(
        _ request: NotificationV1.ListDevicesRequest, _ context: CallContext
    ) async throws -> NotificationV1.ListDevicesResponse { throw ServiceError(.unknownMethod) }
}
