import Contracts
import Messages
package import RPC

extension SessionService {
    /// The methods of `Sessions`, for a server. Those of the generated dispatcher, but that
    /// `Validate` answers with what was encoded when its token was first seen.
    package var methods: ServiceMethods {
        SessionsDispatcher.methods(of: self).replacing(
            .onLoop(SessionsDescription.validate) {
                [validation] (request: SessionV1.ValidateRequest, _) in
                try validation.encoded(request)
            })
    }
}
