package import Messages
package import ServiceRuntime

extension IdentityV1.Origin: ClientOrigin {}
