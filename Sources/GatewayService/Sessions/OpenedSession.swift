import Contracts
import Messages
import RPC

extension SessionsAPI {
    /// Opens a session by identity's proof, bound to the device's key where it has one: how every
    /// sign-in ends.
    func open(
        by proof: IdentityV1.SignInProof?, on device: GatewayV1.Device?,
        from origin: IdentityV1.Origin, _ onward: CallContext
    ) async throws -> GatewayV1.Session? {
        let opened = try await create(
            SessionV1.CreateRequest(proof: proof, origin: origin, deviceKey: device?.key), onward)
        return opened.tokens.map(GatewayV1.Session.init)
    }
}
