import Addresses
import ServiceRuntime
import Synchronization

/// The requests that do something that few may do at a time, by their clients: otherwise one client
/// would keep all others from it. Which of them ends for another one, `ClientPlaces` says.
final class ExchangePlaces: Sendable {
    typealias Place = ClientPlaces<HTTPExchange>.ID

    private let places: Mutex<ClientPlaces<HTTPExchange>>

    init(_ bounds: PlaceBounds) {
        places = Mutex(ClientPlaces(bounds, endsOnlyForFewer: true))
    }

    /// Takes a place for a client; `give` returns it. This machine is limited by the total only.
    /// - Parameter began: since when it does that, if it may end for another one; nil if not.
    /// - Returns: nil if there is none.
    func take(
        _ exchange: HTTPExchange, from client: ClientAddress, endableSince began: Duration?
    ) -> Place? {
        let verdict = places.withLock { places in
            let verdict = places.arrive(exchange, from: ClientNetwork(client))
            if case .admitted(let place, _) = verdict, let began {
                places.waits(place, since: began)
            }
            return verdict
        }
        guard case .admitted(let place, let ending) = verdict else { return nil }
        ending?.endForAnother()
        return place
    }

    /// Returns a place that was taken.
    func give(_ place: Place) { places.withLock { $0.leave(place) } }
}

/// The requests of an event loop that may be calls with streams, by who calls. Such a call may live
/// for an hour.
///
/// Attack: a client opens streams until no request runs any more. So all of them leave room for
/// sign-ins, and those that need no key, or an app's key, which is no secret, leave room for the
/// backends' revocation feeds. When they are full, the oldest stream of the site that has most ends
/// for a client with fewer.
struct StreamPlaces: Sendable {
    private let own: ExchangePlaces
    private let apps: ExchangePlaces
    private let backends: ExchangePlaces

    /// Shares of the requests that may run at once.
    init(of requests: PlaceBounds) {
        own = ExchangePlaces(requests.share(1, of: 32))
        apps = ExchangePlaces(requests.share(1, of: 2))
        backends = ExchangePlaces(requests.share(1, of: 4))
    }

    /// The places of a caller; nil calls this program's own services, such as health.
    /// - Parameter hasRequestItems: whether the caller sends a stream. Anyone can send one for a
    ///   while with a token that only the gateway can refuse, so it never counts as a backend's.
    func places(of caller: WebCaller?, hasRequestItems: Bool) -> ExchangePlaces {
        guard let caller else { return own }
        return caller.app == nil && !hasRequestItems ? backends : apps
    }
}
