package import Messages
import ServiceRuntime

extension IdentityV1.Origin: ClientOrigin {}
