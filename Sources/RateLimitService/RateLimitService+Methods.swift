import Contracts
package import RPC

extension RateLimitService {
    /// The methods of `Limits` for a server: those of the generated dispatcher, except that a
    /// `Check` of one charge is read and answered in place.
    package var methods: ServiceMethods {
        LimitsDispatcher.methods(of: self).attempting(LimitsDescription.check) {
            [self] request, writer in
            try checkInPlace(request, &writer)
        }
    }
}
