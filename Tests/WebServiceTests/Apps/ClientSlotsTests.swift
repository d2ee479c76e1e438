import Addresses
import Testing

@testable import WebService

@Suite("Slots that clients share")
struct ClientSlotsTests {
    private func client(_ text: String) throws -> ClientAddress {
        try #require(ClientAddress(text))
    }

    @Test("one address, or one IPv6 /64, has a part of them; a slot that is given back is free")
    func perAddress() throws {
        let slots = ClientSlots(countMax: 10, perAddressMax: 2)
        for address in ["2001:db8::1", "2001:db8::2"] {
            #expect(try slots.take(client(address)))
        }
        #expect(try !slots.take(client("2001:db8::3")))
        #expect(try slots.take(client("2001:db8:0:1::1")))
        slots.give(try client("2001:db8::2"))
        #expect(try slots.take(client("2001:db8::3")))
    }

    @Test("all of them together are bounded, also for this machine")
    func all() throws {
        let slots = ClientSlots(countMax: 3, perAddressMax: 2)
        for _ in 0..<3 { #expect(try slots.take(client("127.0.0.1"))) }
        for address in ["127.0.0.1", "192.0.2.7"] {
            #expect(try !slots.take(client(address)))
        }
        slots.give(try client("127.0.0.1"))
        #expect(try slots.take(client("192.0.2.7")))
    }
}
