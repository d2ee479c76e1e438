import Addresses
import RPC
import Synchronization

/// Who does something that few may do at a time, and of them few from one address: otherwise one
/// slow client would keep everyone else from it.
final class ClientSlots: Sendable {
    private let countMax: Int
    private let perAddressMax: Int

    private struct State {
        var count = 0
        var ofAddress: [PeerAddress: Int] = [:]
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - countMax: how many at a time.
    ///   - perAddressMax: of them, those of one IPv4 address, or one IPv6 /64. This machine is
    ///     exempt, as from `WebLimits.requestsPerAddressMax`.
    init(countMax: Int, perAddressMax: Int) {
        self.countMax = countMax
        self.perAddressMax = perAddressMax
    }

    /// Takes a slot for a client; `give` returns it.
    /// - Returns: whether there was one.
    func take(_ client: ClientAddress) -> Bool {
        let address = Self.limited(client)
        return state.withLock { state in
            let own = address.flatMap { state.ofAddress[$0] } ?? 0
            guard state.count < countMax, own < perAddressMax else { return false }
            state.count += 1
            if let address { state.ofAddress[address] = own + 1 }
            return true
        }
    }

    /// Returns a slot that was taken.
    func give(_ client: ClientAddress) {
        let address = Self.limited(client)
        state.withLock { state in
            state.count -= 1
            guard let address, let own = state.ofAddress[address] else { return }
            // Addresses without a slot take no memory.
            state.ofAddress[address] = own > 1 ? own - 1 : nil
        }
    }

    private static func limited(_ client: ClientAddress) -> PeerAddress? {
        PeerAddress(client).flatMap { $0.isLoopback ? nil : $0 }
    }
}

/// The requests of an event loop that may be calls with streams, by who calls. Such a call may live
/// for an hour.
///
/// Attack: a client opens streams until no request runs any more. So all of them leave room for
/// sign-ins, and those that need no key, or an app's key, which is no secret, leave room for the
/// backends' revocation feeds.
struct StreamSlots: Sendable {
    private let own: ClientSlots
    private let apps: ClientSlots
    private let backends: ClientSlots

    /// Shares of the requests that may run at once.
    /// - Parameter perAddressMax: of these, the requests of one address.
    init(requestsMax: Int, perAddressMax: Int) {
        func share(_ dividend: Int, _ divisor: Int) -> ClientSlots {
            ClientSlots(
                countMax: max(1, requestsMax * dividend / divisor),
                perAddressMax: max(1, perAddressMax * dividend / divisor))
        }
        own = share(1, 32)
        apps = share(1, 2)
        backends = share(1, 4)
    }

    /// The slots of a caller; nil calls this program's own services, such as health.
    /// - Parameter hasRequestItems: whether the caller sends a stream. Anyone can send one for a
    ///   while with a token that only the gateway can refuse, so it never counts as a backend's.
    func slots(of caller: WebCaller?, hasRequestItems: Bool) -> ClientSlots {
        guard let caller else { return own }
        return caller.app == nil && !hasRequestItems ? backends : apps
    }
}
