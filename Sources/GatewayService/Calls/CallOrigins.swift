import Addresses
import Places
import RPC
import ServiceRuntime

/// Finds out where and with what a call is made, once, before its handler runs. Identity and
/// session have it in the metadata of inner calls, and look nothing up
/// (`CallContext.onward(for:)`).
struct CallOrigins: Sendable {
    let places: Places

    /// Replaces what the caller says of itself by what the gateway makes of it: the place of its
    /// address, and the words for its user agent. Both count only from an application that may
    /// assert addresses.
    ///
    /// Attack: a caller sends `place` or `agent` of its own, which would be believed as the
    /// gateway's word, to have its sign-in look like the owner's.
    func prepare(_ context: inout CallContext) {
        let address = context.clientAddress.flatMap { ClientAddress($0) }
        let userAgent =
            context.mayAssertClientAddress ? context.metadata[Metadata.Key.clientAgent] : nil
        context.metadata[Metadata.Key.place] = address.flatMap { places.place(of: $0) }?.text
        context.metadata[Metadata.Key.agent] = userAgent.flatMap { Agent(userAgent: $0) }?.text
        context.metadata[Metadata.Key.clientAgent] = nil
    }
}
