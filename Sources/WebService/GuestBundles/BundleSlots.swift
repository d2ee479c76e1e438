import Addresses
import RPC
import Synchronization

/// Who has bodies of guests' bundles in memory.
///
/// Attack: bundles of strangers fill the memory, since only the gateway judges their tokens, after
/// the body. So few are read at a time, and of them few of one address: otherwise one client that
/// sends slowly would keep everyone from uploading.
final class BundleSlots: Sendable {
    /// Bodies at a time.
    static let countMax = 32
    /// Of them, those of one IPv4 address, or one IPv6 /64. This machine is exempt, as from
    /// `WebLimits.requestsPerAddressMax`.
    static let perAddressMax = 4

    private struct State {
        var count = 0
        var ofAddress: [PeerAddress: Int] = [:]
    }

    private let state = Mutex(State())

    /// Takes a slot for a client; `give` returns it.
    /// - Returns: whether there was one.
    func take(_ client: ClientAddress) -> Bool {
        let address = Self.limited(client)
        return state.withLock { state in
            let own = address.flatMap { state.ofAddress[$0] } ?? 0
            guard state.count < Self.countMax, own < Self.perAddressMax else { return false }
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
