import Outbound
import SMTPSink
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Addresses where nobody lives")
struct StoppedAddressTests {
    @Test("a hard bounce stops the address in every spelling: later mails end unsent")
    func stops() async throws {
        let (bench, sink, client) = try bench()
        try await bench.send()
        try await bench.delivering {
            try await bench.until(
                "SELECT count(*) FROM message WHERE state = 4", gives: .integer(1))
            sink.script.recipient = "250 ok"
            let other = ServiceBench.request(to: "Ada.CANARY@Example.org")
            #expect(try await bench.send(other, key: "k-2").hasPrefix("msg_"))
            try await bench.until(
                "SELECT count(*) FROM message WHERE state = 4", gives: .integer(2))
            try await bench.send(ServiceBench.request(to: "grace@example.org"), key: "k-3")
            try await bench.until(sent: 1)
        }
        #expect(sink.mails.map(\.to) == ["RCPT TO:<grace@example.org>"])
        #expect(
            try await bench.ask("SELECT reason FROM message WHERE state = 4 ORDER BY id")
                == [.text("smtp-550-5.1.1"), .text("address-stopped")])
        #expect(
            try await bench.ask("SELECT count(*) FROM audit WHERE kind = 'address.stopped'")
                == [.integer(1)])
        #expect(!bench.log.lines.contains { $0.contains("canary") })
        await client.close()
        sink.close()
    }

    @Test("a refusal for another reason stops nobody")
    func otherReason() async throws {
        let (bench, sink, client) = try bench("550 5.7.1 your mail looks like spam")
        try await bench.send()
        try await bench.delivering {
            try await bench.until("SELECT state FROM message", gives: .integer(4))
        }
        #expect(try await bench.ask("SELECT count(*) FROM stopped_address") == [.integer(0)])
        await client.close()
        sink.close()
    }

    @Test("a stop ends by the operator's word, or after 90 days")
    func ends() async throws {
        let bench = try ServiceBench(in: TemporaryFolder())
        let list = StoppedAddressList(store: bench.store, time: bench.time)
        let (ada, grace) = (bench.keys.recipient([1]), bench.keys.recipient([2]))
        try await bench.store.write { transaction in
            try transaction.stopAddress(ada, reason: "smtp-550-5.1.1")
            try transaction.stopAddress(ada, reason: "smtp-550-5.2.1")
            try transaction.stopAddress(grace, reason: "smtp-550-5.1.1")
        }
        #expect(try await list.holds(ada))
        #expect(try await bench.store.write { try $0.releaseAddress(ada) })
        #expect(try await !list.holds(ada))
        #expect(try await !bench.store.write { try $0.releaseAddress(ada) })
        bench.time.advance(by: StoppedAddresses.stoppedFor - .seconds(1))
        #expect(try await list.holds(grace))
        bench.time.advance(by: .seconds(1))
        #expect(try await !list.holds(grace))
        bench.time.advance(by: .seconds(1))
        try await bench.store.write { try $0.stopAddress(ada, reason: "smtp-550-5.1.1") }
        #expect(try await bench.ask("SELECT count(*) FROM stopped_address") == [.integer(1)])
        #expect(
            try await bench.ask("SELECT count(*) FROM audit WHERE kind = 'address.released'")
                == [.integer(1)])
    }

    private func bench(
        _ word: String = "550 5.1.1 no such person ada.canary@example.org"
    ) throws -> (bench: ServiceBench, sink: SMTPSink, client: SMTPClient) {
        var script = SMTPSink.Script()
        script.recipient = word
        let sink = try SMTPSink(script)
        let (route, client) = try ServiceBench.route(to: sink)
        return (try ServiceBench(in: TemporaryFolder(), route: route), sink, client)
    }
}
