import Testing

@testable import WebService

@Suite("The memory of bodies that arrive (SECURITY.md, Costs)")
struct BodyBytesTests {
    @Test("when it is full, the largest body of the site that holds most ends")
    func largest() {
        var bodies = BodyBytes<String>(bytesMax: 100)
        let small = bodies.begin("small", from: network("192.0.2.1"))
        let large = bodies.begin("large", from: network("192.0.2.1"))
        let other = bodies.begin("other", from: network("192.0.2.2"))
        #expect(bodies.add(20, to: small) == [])
        #expect(bodies.add(40, to: large) == [])
        #expect(bodies.add(30, to: other) == [])
        let new = bodies.begin("new", from: network("203.0.113.1"))
        #expect(bodies.add(15, to: new) == ["large"])
        #expect(bodies.bytes == 65)
        // One that has ended gets no more.
        #expect(bodies.add(1, to: large) == nil)
        for id in [small, large, other, new] { bodies.end(id) }
        #expect(bodies.bytes == 0)
    }

    @Test("a body of the site that holds most, also with several /64, ends itself")
    func own() {
        var bodies = BodyBytes<String>(bytesMax: 100)
        let other = bodies.begin("other", from: network("192.0.2.2"))
        #expect(bodies.add(40, to: other) == [])
        let first = bodies.begin("first", from: network("2001:db8::1"))
        #expect(bodies.add(35, to: first) == [])
        let second = bodies.begin("second", from: network("2001:db8:0:1::1"))
        #expect(bodies.add(26, to: second) == nil)
        #expect(bodies.add(25, to: second) == [])
    }

    @Test("bodies that arrive slowly take no room of one that is sent at once", arguments: [5, 50])
    func slow(addresses: Int) {
        let bytesMax = GuestBundleResponder.arrivingBytesMax
        var bodies = BodyBytes<String>(bytesMax: bytesMax)
        // The attackers have all requests there are, and send as much as there is room for.
        let count = WebLimits().requestsMax
        for number in 0..<count {
            let id = bodies.begin("slow", from: network("192.0.2.\(number % addresses)"))
            #expect(bodies.add(bytesMax / count, to: id) == [])
        }
        let quick = bodies.begin("quick", from: network("203.0.113.1"))
        // Most of an equal share of each.
        for _ in 0..<(bytesMax / (addresses + 1) / 65_536 * 3 / 4) {
            let ending = bodies.add(65_536, to: quick)
            #expect(ending?.contains("quick") == false)
        }
    }
}
