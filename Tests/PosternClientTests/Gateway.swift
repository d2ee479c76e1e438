import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport

/// A stand-in for the gateway. It publishes keys, sends revocations and counts the calls. It signs
/// tokens as the session service would.
final class Gateway: VerificationAPI {
    struct State {
        var keys: [SigningKey]
        var keySetCalls = 0
        var isAway = false
        var position: UInt64 = 0
        var epoch: UInt64 = 1
    }

    let state: Mutex<State>
    let log = RevocationLog()
    let time: ManualTime

    init(time: ManualTime) throws {
        self.time = time
        state = Mutex(State(keys: [try SigningKey.generate()]))
    }

    // MARK: What the test does

    /// Signs with a new key from now on. The earlier keys remain published or are removed.
    func rotate(keepsOldKeys: Bool) throws {
        let key = try SigningKey.generate()
        state.withLock { $0.keys = [key] + (keepsOldKeys ? $0.keys : []) }
    }

    /// Sends a revocation, or only a heartbeat.
    func sendRevocation(_ ended: SessionID? = nil) {
        let (position, epoch) = state.withLock { state in
            if ended != nil { state.position += 1 }
            return (state.position, state.epoch)
        }
        let ends = ended.map {
            Revocation(position: position, session: $0, at: time.now(), reason: .signedOut)
        }
        log.take(
            RevocationUpdate(
                ends: ends.map { [$0] } ?? [], position: position,
                completeAt: time.now(), isReset: false,
                keySet: SHA256.hash(jwks.utf8), retention: .seconds(691), epoch: epoch))
    }

    /// Simulates a restored backup: the store has another history (epoch) from now on.
    func restore() {
        state.withLock { state in
            state.epoch += 1
            state.position = 0
        }
    }

    var jwks: String {
        let keys = state.withLock { $0.keys.map(\.verifyingKey) }
        // Keys that were just generated have distinct key ids.
        return (try? JSONWebKeySet(keys).json) ?? ""
    }

    var keySetCalls: Int { state.withLock { $0.keySetCalls } }

    /// An access token of a session, signed with the newest key.
    func token(
        _ session: Int64 = 2, type: String = TokenSigner.accessTokenType,
        change: (inout TokenClaims) -> Void = { _ in }
    ) throws -> String {
        guard let account = AccountID(key: 1), let session = SessionID(key: session) else {
            throw ServiceError(.internalError)
        }
        var claims = TokenClaims(
            issuer: "postern", subject: account.text, audience: ["postern"],
            expiresAt: time.now() + .seconds(600), issuedAt: time.now(), sessionID: session.text,
            methods: ["pwd"], authenticatedAt: time.now(), identifier: "j")
        change(&claims)
        return try TokenSigner(key: state.withLock { $0.keys[0] }, type: type).sign(claims)
    }

    // MARK: VerificationAPI

    func getKeySet(
        _ request: GatewayV1.GetKeySetRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetKeySetResponse {
        let isAway = state.withLock { state in
            state.keySetCalls += 1
            return state.isAway
        }
        if isAway { throw ServiceError(.unavailable) }
        return GatewayV1.GetKeySetResponse(jwks: jwks)
    }

    func introspectToken(
        _ request: GatewayV1.IntrospectTokenRequest, _ context: CallContext
    ) async throws -> GatewayV1.IntrospectTokenResponse { throw ServiceError(.unknownMethod) }

    func watchRevocations(
        _ request: GatewayV1.WatchRevocationsRequest, _ context: CallContext
    ) -> IncomingItems<GatewayV1.WatchRevocationsItem> {
        .inProcess { [self] items in
            if state.withLock({ $0.isAway }) { throw ServiceError(.unavailable) }
            try await log.serve(request, items)
        }
    }
}
