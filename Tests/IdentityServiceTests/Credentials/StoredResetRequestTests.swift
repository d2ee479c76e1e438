import Messages
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
