import Contracts
import Messages
import RPC
import ServiceRuntime

// What the answers of sign-ins have: the new session, and the history of the account's sign-ins.

extension SessionsAPI {
    /// Opens a session with the identity service's proof, bound to the device's key where it has
    /// one. Every sign-in ends with this call.
    /// - Throws: `auth/invalid-sign-in-proof`, `auth/session-ended` where a retried call's session
    ///   has ended, `auth/device-key-required`, `auth/invalid-device-key`,
    ///   `auth/idempotency-key-reused`.
    func open(
        by proof: IdentityV1.SignInProof?, on device: GatewayV1.Device?, _ onward: CallContext
    ) async throws -> GatewayV1.Session? {
        try await createSession(
            SessionV1.CreateSessionRequest(proof: proof, device: device), onward
        ).session
    }
}

extension GatewayV1.SignInHistory {
    /// Identity's message has another form, since it is stored in the responses of sign-ins, for
    /// their repeats (G-25).
    init(_ history: IdentityV1.SignInHistory) {
        self.init(
            previous: history.lastSignInAtMs > 0
                ? GatewayV1.PreviousSignIn(
                    signedInAtMs: history.lastSignInAtMs, gapMs: history.gapMs,
                    place: history.previousPlace) : nil,
            isNewDevice: history.isNewDevice, isNewPlace: history.isNewPlace)
    }
}
