import Addresses
import HTTPTypes
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

    @Test("streams that need no key, or an app's key, leave room for the backends' feeds")
    func streams() throws {
        let streams = StreamSlots(requestsMax: 64, perAddressMax: 64)
        let address = try client("127.0.0.1")
        func count(_ caller: WebCaller?, hasRequestItems: Bool = false) -> Int {
            (0..<100).count { _ in
                streams.slots(of: caller, hasRequestItems: hasRequestItems).take(address)
            }
        }
        #expect(count(nil) == 2)
        #expect(count(caller(of: AppsFixture.apps.all.first)) == 32)
        #expect(count(caller(of: nil), hasRequestItems: true) == 0)
        #expect(count(caller(of: nil)) == 16)
    }

    private func caller(of app: App?) -> WebCaller {
        WebCaller(
            app: app, applicationToken: app == nil ? "token" : nil, clientAddress: "127.0.0.1",
            responseFields: [:], isPlainLoopback: true, bodyHash: nil)
    }
}
