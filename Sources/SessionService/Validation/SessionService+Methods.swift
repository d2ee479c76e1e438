import Contracts
import Messages
package import RPC

extension SessionService {
    /// The rpcs of `Sessions` for a server: those of the generated dispatcher, except that
    /// `Validate` returns the response that was encoded when its token was first verified.
    package var methods: ServiceMethods {
        SessionsDispatcher.methods(of: self).replacing(
            .onLoop(SessionsDescription.validate) {
                [validation] (request: SessionV1.ValidateRequest, _) in
                try validation.encoded(request)
            })
    }
}
