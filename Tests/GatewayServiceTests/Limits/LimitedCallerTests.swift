import Contracts
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("R-03: limits by address count an address or an application", .timeLimit(.minutes(1)))
struct LimitedCallerTests {
    @Test(
        "R-03: an address that may be asserted is the subject",
        arguments: [
            "192.0.2.7", "::1", "2001:db8::1", "::ffff:192.0.2.7", "fe80::1%eth0",
            "2001:0db8:0001:0002:ffff:ffff:ffff:ffff",
        ])
    func address(text: String) throws {
        #expect(try LimitedCaller(context(text)) == .address(text))
    }

    @Test("R-03: without an address, the application is the subject")
    func application() throws {
        #expect(try LimitedCaller(context(nil)) == .application("app"))
    }

    @Test(
        "B7: a value that is not a bare address is rejected, not treated as missing",
        arguments: [
            "", " ", " 192.0.2.7", "192.0.2.7:5678", "[::1]", "[2001:db8::1]",
            "192.0.2.7, 198.51.100.1", "unknown", "192.0.2", "2001:db8::1/64", "%", "192.0.2.7\0",
            "fe80::1%" + String(repeating: "e", count: 57), String(repeating: "1", count: 10_000),
        ])
    func noAddress(text: String) {
        #expect(throws: Self.refused) { try LimitedCaller(context(text)) }
        #expect(throws: Self.refused) {
            try context(text).onward(for: AuthDescription.signUpWithPassword)
        }
    }

    @Test("B7: two addresses, or one that is not UTF-8, are rejected")
    func notOne() {
        let key = Metadata.Key.clientAddress
        for values in [["192.0.2.7", "192.0.2.7"].map { Array($0.utf8) }, [[0xff]]] {
            let context = CallContext(
                application: "app", deadline: .seconds(1),
                metadata: Metadata(values.map { Metadata.Entry(key: key, value: $0) }),
                mayAssertClientAddress: true)
            #expect(throws: Self.refused) { try LimitedCaller(context) }
        }
    }

    private static let refused = ServiceError.invalidArgument(
        "client-address", "Send one IPv4 or IPv6 address, without a port.")

    @Test("R-03: the address is ignored if the application may not assert addresses")
    func mayNot() throws {
        for text in ["192.0.2.7", "unknown"] {
            #expect(
                try LimitedCaller(context(text, mayAssert: false)) == .application("app"))
        }
    }

    @Test("R-03: without addresses, an application's users share 60 attempts a minute")
    func cap() async throws {
        let fixture = try await GatewayFixture()
        _ = try await fixture.signUp()
        func guess(_ number: Int, in context: CallContext) async throws -> ErrorCode {
            try await refusal {
                try await fixture.signIn(
                    "user\(number)@example.org", password: "Wrong8Horses", device: "d\(number)",
                    in: context)
            }.code
        }
        for number in 0..<60 {
            let context = [
                fixture.context(address: nil),
                fixture.context(address: "192.0.2.\(number)", mayAssert: false),
            ][number % 2]
            #expect(try await guess(number, in: context) == .invalidCredential)
        }
        #expect(try await guess(60, in: fixture.context(address: nil)) == .tooManyRequests)
        #expect(
            try await guess(61, in: fixture.context(address: nil, application: "other"))
                == .invalidCredential)
        _ = try await fixture.signIn(in: fixture.context(address: "192.0.2.7"))
        #expect(fixture.log.lines.contains { $0.contains("limits.client_address.missing") })
        fixture.time.advance(by: .seconds(60))
        _ = try await fixture.signIn(in: fixture.context(address: nil))
    }

    private func context(_ address: String?, mayAssert: Bool = true) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = address
        return CallContext(
            application: "app", deadline: .seconds(1), metadata: metadata,
            mayAssertClientAddress: mayAssert)
    }
}
