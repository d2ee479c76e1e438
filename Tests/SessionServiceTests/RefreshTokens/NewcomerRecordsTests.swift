import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("A-01: what newcomers' sessions leave in a day")
struct NewcomerRecordsTests {
    private let start = Timestamp(milliseconds: 1_000_000_000)
    private let hash = KeyedHash(key: SecretBytes(copying: [UInt8](repeating: 1, count: 32)))

    private func origin(_ address: String) -> CallOrigin {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = address
        return CallOrigin(
            RelayedOrigin(CallContext(deadline: .zero, metadata: metadata)), hash: hash)
    }

    @Test("the newcomers at one address share 8,192 records a day, those of an IPv6 /48 too")
    func window() {
        let records = NewcomerRecords()
        let addresses = ["2001:db8:1::1", "2001:db8:1:ffff::1"].map(origin)
        for number in 0..<Int(NewcomerRecords.recordedMax) {
            let origin = addresses[number % 2]
            #expect(records.recordsNext(from: origin, at: start))
            records.count(from: origin, at: start)
        }
        #expect(!records.recordsNext(from: addresses[0], at: start + .seconds(86_399)))
        #expect(records.recordsNext(from: origin("192.0.2.1"), at: start + .seconds(86_399)))
        #expect(records.recordsNext(from: addresses[0], at: start + .seconds(86_400)))
        #expect(records.recordsNext(from: addresses[0], at: start - .seconds(1)), "set back")
    }

    @Test("beyond it a newcomer's refreshes are counted by network, and an older session's go on")
    func refreshes() async throws {
        let fixture = try await SessionFixture()
        var old = try await fixture.open()
        fixture.time.advance(by: .seconds(86_400))
        var leaf = try await fixture.open()
        let memory = fixture.service.sessions.memory
        for _ in 0..<NewcomerRecords.recordedMax {
            memory.newcomers.count(from: .unknown, at: fixture.time.now())
        }
        for _ in 0..<3 {
            leaf = try await fixture.refresh(leaf.refreshToken)
            #expect(fixture.validate(leaf.accessToken).valid)
        }
        #expect(try await fixture.audited(.sessionRefreshed) == 0)
        let counted = try await fixture.number("SELECT refusals FROM refusal_count")
        #expect(counted == 3)
        old = try await fixture.refresh(old.refreshToken)
        #expect(fixture.validate(old.accessToken).valid)
        #expect(try await fixture.audited(.sessionRefreshed) == 1)
    }
}
