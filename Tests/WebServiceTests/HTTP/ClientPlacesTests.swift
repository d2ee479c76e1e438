import Addresses
import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

/// A client's network by the text of its address.
func network(_ address: String) -> ClientNetwork? {
    ClientAddress(address).flatMap { ClientNetwork($0) }
}

@Suite("Places that clients share (SECURITY.md, Costs)")
struct ClientPlacesTests {
    private typealias Places = ClientPlaces<String>

    /// Takes a place for each client of `clients`, named by its address and number; all wait, the
    /// first since longest.
    private func filled(
        _ clients: [String], _ bounds: PlaceBounds, endsOnlyForFewer: Bool = false
    ) -> (places: Places, ids: [Places.ID]) {
        var places = Places(bounds, endsOnlyForFewer: endsOnlyForFewer)
        var ids: [Places.ID] = []
        for (number, client) in clients.enumerated() {
            guard
                case .admitted(let id, nil) = places.arrive(
                    "\(client) \(number)", from: network(client))
            else { continue }
            places.waits(id, since: .seconds(number))
            ids.append(id)
        }
        #expect(ids.count == clients.count)
        return (places, ids)
    }

    /// Whose place a new one gets: "" for a free one, nil if it is refused.
    private func ended(_ places: inout Places, from client: String) -> String? {
        guard case .admitted(_, let ending) = places.arrive("new", from: network(client)) else {
            return nil
        }
        return ending ?? ""
    }

    @Test(
        "when all are taken, the one that has waited longest of the site that has most ends",
        arguments: [
            // None has more than one: the one that has waited longest.
            (["192.0.2.1", "192.0.2.2", "192.0.2.3"], "192.0.2.1 0"),
            (["192.0.2.1", "192.0.2.2", "192.0.2.2"], "192.0.2.2 1"),
            (["192.0.2.2", "192.0.2.2", "192.0.2.1"], "192.0.2.2 0"),
            // Several /64 of one /48 are one site; of them, the /64 with most.
            (
                ["192.0.2.1", "192.0.2.1", "2001:db8::1", "2001:db8:0:1::1", "2001:db8:0:1::2"],
                "2001:db8:0:1::1 3"
            ),
            (["2001:db8::1", "2001:db8:1::1", "2001:db8:1::2", "192.0.2.9"], "2001:db8:1::1 1"),
            // This machine and unnamed clients of proxies are one site.
            (["127.0.0.1", "::1", "192.0.2.1"], "127.0.0.1 0"),
        ])
    func whoEnds(clients: [String], expected: String) {
        var (places, _) = filled(clients, PlaceBounds(total: clients.count))
        #expect(ended(&places, from: "203.0.113.1") == expected)
        #expect(places.count == clients.count)
    }

    @Test("who works does not end; if none waits, the new one is refused")
    func working() {
        var (places, ids) = filled(["192.0.2.1", "192.0.2.1", "192.0.2.2"], PlaceBounds(total: 3))
        places.works(ids[0])
        places.works(ids[1])
        #expect(ended(&places, from: "203.0.113.1") == "192.0.2.2 2")
        #expect(ended(&places, from: "203.0.113.1") == nil)
        places.waits(ids[1], since: .seconds(9))
        places.waits(ids[0], since: .seconds(3))
        #expect(ended(&places, from: "203.0.113.2") == "192.0.2.1 0")
        #expect(places.waitingCount == 1)
    }

    @Test("an address, and a /48, that has its share ends its own only")
    func shares() {
        let bounds = PlaceBounds(total: 100, perAddress: 2, perSite: 3)
        var (places, _) = filled(["192.0.2.1", "192.0.2.1", "192.0.2.2"], bounds)
        #expect(ended(&places, from: "192.0.2.1") == "192.0.2.1 0")
        #expect(ended(&places, from: "192.0.2.2") == "")
        let six = ["2001:db8::1", "2001:db8:0:1::1", "2001:db8:0:1::1"]
        (places, _) = filled(six, bounds)
        #expect(ended(&places, from: "2001:db8:0:2::1") == "2001:db8:0:1::1 1")
        #expect(ended(&places, from: "2001:db8:1::1") == "")
        var ids: [Places.ID]
        (places, ids) = filled(six, bounds)
        for id in ids { places.works(id) }
        #expect(ended(&places, from: "2001:db8:0:2::1") == nil)
        #expect(ended(&places, from: "2001:db8:0:1::9") == nil)
        #expect(ended(&places, from: "2001:db8:1::1") == "")
    }

    @Test("what lives long ends only for a site that has fewer, also afterwards")
    func onlyForFewer() {
        let bounds = PlaceBounds(total: 4, perAddress: 3)
        let two = ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.2"]
        var (places, _) = filled(two, bounds, endsOnlyForFewer: true)
        #expect(ended(&places, from: "203.0.113.1") == "192.0.2.1 0")
        #expect(ended(&places, from: "203.0.113.1") == nil)
        let each = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"]
        (places, _) = filled(each, bounds, endsOnlyForFewer: true)
        #expect(ended(&places, from: "203.0.113.1") == nil)
        let own = ["192.0.2.1", "192.0.2.1", "192.0.2.1"]
        (places, _) = filled(own, bounds, endsOnlyForFewer: true)
        #expect(ended(&places, from: "192.0.2.1") == nil)
        #expect(ended(&places, from: "192.0.2.2") == "")
    }

    @Test(
        "one of a crowd of addresses takes no place of a client that holds fewer",
        arguments: [5, 50])
    func crowd(addresses: Int) {
        var places = Places(PlaceBounds(total: 100, perAddress: 40))
        guard
            case .admitted(let honest, nil) = places.arrive("honest", from: network("203.0.113.1"))
        else { return #expect(Bool(false)) }
        places.waits(honest, since: .zero)
        for number in 0..<10_000 {
            let verdict = places.arrive("attacker", from: network("192.0.2.\(number % addresses)"))
            guard case .admitted(let id, let ending) = verdict else { continue }
            #expect(ending != "honest")
            places.waits(id, since: .seconds(number + 1))
        }
        #expect(places.count == 100)
        #expect(ended(&places, from: "203.0.113.2") == "attacker")
    }

    @Test("whatever happens, the counts are those of a simple model, and who left takes no memory")
    func model() {
        let randomness = SeededRandomness(seed: 43)
        let clients = ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1", "127.0.0.1"]
        var places = Places(PlaceBounds(total: 12, perAddress: 5, perSite: 6))
        var held: [(name: String, id: Places.ID, waits: Bool)] = []
        for step in 0..<20_000 {
            func pick(_ count: Int) -> Int { Int(randomness.next() % UInt64(count)) }
            switch pick(4) {
            case 0, 1:
                let name = "\(step)"
                let client = network(clients[pick(clients.count)])
                guard case .admitted(let id, let ending) = places.arrive(name, from: client) else {
                    break
                }
                if let ending, let index = held.firstIndex(where: { $0.name == ending }) {
                    #expect(held[index].waits)
                    held.remove(at: index)
                }
                held.append((name, id, false))
            case 2 where !held.isEmpty:
                let index = pick(held.count)
                held[index].waits = pick(2) == 0
                if held[index].waits {
                    places.waits(held[index].id, since: .seconds(step))
                } else {
                    places.works(held[index].id)
                }
            case 3 where !held.isEmpty:
                places.leave(held.remove(at: pick(held.count)).id)
            default: break
            }
            #expect(places.count == held.count)
            #expect(places.waitingCount == held.count { $0.waits })
        }
        for place in held { places.leave(place.id) }
        #expect(places.count == 0 && places.waitingCount == 0 && places.networkCount == 0)
    }
}
