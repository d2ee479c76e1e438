import Contracts
import Messages
import RPC
import ServiceRuntime

extension SessionsAPI {
    /// Opens a session with the identity service's proof, bound to the device's key where it has
    /// one. Every sign-in ends with this call.
    /// - Throws: `auth/invalid-sign-in-proof`, `auth/session-ended` where a retried call's session
    ///   has ended, `auth/device-key-required`, `auth/invalid-device-key`,
    ///   `auth/idempotency-key-reused`.
    func open(
        by proof: IdentityV1.SignInProof?, on device: GatewayV1.Device?,
        from origin: IdentityV1.Origin, _ onward: CallContext
    ) async throws -> GatewayV1.Session? {
        do {
            let opened = try await createSession(
                SessionV1.CreateSessionRequest(
                    proof: proof, origin: origin,
                    deviceKey: device?.key.map(SessionV1.DeviceKey.init)),
                onward)
            return opened.tokens.map(GatewayV1.Session.init)
        } catch let error as ServiceError {
            throw error.withPublicFields
        }
    }
}

extension GatewayV1.Session {
    /// Converts the session service's tokens.
    init(_ tokens: SessionV1.Tokens) {
        self.init(
            sessionId: tokens.sessionId, accessToken: tokens.accessToken,
            accessExpiresAtMs: tokens.accessExpiresAtMs, refreshToken: tokens.refreshToken,
            idleExpiresAtMs: tokens.idleExpiresAtMs, expiresAtMs: tokens.expiresAtMs,
            answeredAtMs: tokens.serverTimeMs)
    }
}

// A device's key and its signatures, as the session service takes them. The enums have the same
// numbers in both (`PublicAPITests`).

extension SessionV1.DeviceKey {
    init(_ key: GatewayV1.DeviceKey) {
        self.init(
            kind: SessionV1.DeviceKeyKind(rawValue: key.kind.rawValue), publicKey: key.publicKey,
            possession: key.possession)
    }
}

extension SessionV1.DeviceProof {
    init(_ proof: GatewayV1.DeviceProof) {
        self.init(signedAtMs: proof.signedAtMs, signature: proof.signature)
    }
}

extension SessionV1.PresenceProof {
    init(_ proof: GatewayV1.PresenceProof) {
        self.init(
            signedAtMs: proof.signedAtMs, hardwareKey: proof.hardwareKey,
            signature: proof.signature)
    }
}
