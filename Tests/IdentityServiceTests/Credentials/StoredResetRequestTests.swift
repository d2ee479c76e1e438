import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("A password reset request as the outbox stores it")
struct StoredResetRequestTests {
    private let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private func origin(_ address: String, device: String = "") -> CallOrigin {
        CallOrigin(
            fixture.context(from: address), on: GatewayV1.Device(deviceId: device), fixture.keys)
    }

    /// The keyed hash of the caller's network: the last bytes.
    private func site(_ address: String) -> [UInt8] { Array(origin(address).bytes.suffix(16)) }

    @Test("a stored request is read back as written, with or without the caller's origin")
    func read() {
        let callers = [
            origin("192.0.2.7", device: "d"), origin("", device: "d"), origin("192.0.2.7"),
            .unknown,
        ]
        for caller in callers {
            let reset = RequestedLinkMailing.Request(
                lookUpKey: [UInt8](repeating: 1, count: 16),
                subject: [UInt8](repeating: 2, count: 16), origin: caller)
            // Without the customer, whom no mail is counted for.
            #expect(RequestedLinkMailing.Request(reset.bytes).bytes == reset.bytes)
        }
        let old = RequestedLinkMailing.Request([UInt8](repeating: 1, count: 16))
        #expect(old.lookUpKey.count == 16 && old.subject == nil && old.origin == .unknown)
    }

    @Test("country and agent are read back, in any combination, and the city is not stored")
    func words() {
        func origin(_ place: String?, _ agent: String?) -> CallOrigin {
            var context = fixture.context(from: "192.0.2.7")
            context.metadata[Metadata.Key.place] = place
            context.metadata[Metadata.Key.agent] = agent
            return CallOrigin(context, fixture.keys)
        }
        let agents = ["firefox 131, linux", nil]
        for (place, country) in [("DE;525;134;Berlin", "DE"), (nil, nil)] as [(String?, String?)] {
            for agent in agents {
                let reset = RequestedLinkMailing.Request(
                    lookUpKey: [UInt8](repeating: 1, count: 16),
                    subject: [UInt8](repeating: 2, count: 16), origin: origin(place, agent))
                let read = RequestedLinkMailing.Request(reset.bytes).origin
                #expect(read.place?.country == country && read.agent == agent)
                #expect(read.place?.city ?? "" == "")
                #expect(!String(decoding: reset.bytes, as: UTF8.self).contains("Berlin"))
            }
        }
        let broken = origin("DE;;;", "curl 8, other").bytes + [0, 1]
        #expect(CallOrigin(bytes: broken) == nil)
    }

    @Test("H1: a network is an IPv4 /24 or an IPv6 /48, however its addresses are written")
    func sites() {
        #expect(site("192.0.2.7") == site("192.0.2.250"))
        #expect(site("192.0.2.7") == site("::ffff:192.0.2.9"))
        #expect(site("192.0.2.7") != site("192.0.3.7"))
        #expect(site("2001:db8:1::1") == site("2001:DB8:1:ffff::2%eth0"))
        #expect(site("2001:db8:1::1") != site("2001:db8:2::1"))
        #expect(origin("no address").bytes.last == 0)
    }
}
