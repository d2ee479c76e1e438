import ArgumentParser
import Contracts
import Cryptography
import Messages
import RPC

extension AuditCommand {
    /// `postern audit verify`.
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Proves that the audit trails are what the services have written.",
            discussion: """
                Each service reads its records again and compares them with the links that it made \
                of them under its key. It says what is whole, how many of the newest records have \
                no link yet (those of a minute), and the first records that are not what was \
                linked. Exit code 1 if anything was changed.

                A store alone does not show that its newest records were removed, that it is an \
                older copy, or that its trail was emptied. Heads that were kept elsewhere show it: \
                --witness names a file with lines of `audit watch` or `audit list`, with -o json, \
                or of a webhook's receiver.

                  postern audit verify
                  postern audit verify --service session --witness /mnt/siem/audit.jsonl
                """)

        /// A part reads 200,000 records and more, and rests as long as that takes.
        private static let timeout: Duration = .seconds(120)

        @Option(help: "Only the trail of this service; may be repeated (default: all).")
        var service: [String] = []

        @Option(help: "A file with heads that were kept elsewhere; may be repeated.")
        var witness: [String] = []

        @OptionGroup var endpoints: EndpointsOption
        @OptionGroup var output: OutputOption

        func validate() throws { try List.requireServices(service) }

        func run() async throws {
            let witness = try heads()
            var (isWhole, writer) = (true, output.writer)
            for name in service.isEmpty ? List.services : service {
                let key = try await endpoints.trailKey(of: name)
                let heads = witness.statements(
                    signedBy: try Ed25519VerifyingKey(bytes: key.publicKey))
                let report = try await report(on: name)
                let findings = report.findings(heads)
                isWhole = isWhole && !findings.contains { $0.isBad }
                if output.isJSON {
                    try writer.write([report.row(findings)])
                } else {
                    try Screen.item(report.summary)
                    for finding in findings {
                        let word = finding.isBad ? "CHANGED: " : ""
                        try Screen.item("\(name): \(word)\(finding.text)".printableLine)
                    }
                }
            }
            if output.isJSON { try writer.finish() }
            guard isWhole else { throw ExitCode(1) }
        }

        private func report(on name: String) async throws -> TrailReport {
            try await endpoints.call(name) { caller in
                let feed = EventsClient(caller.client)
                var (report, request) = (TrailReport(of: name), EventsV1.VerifyTrailRequest())
                while true {
                    let part = try await feed.verifyTrail(
                        request, caller.client.context(timeout: Self.timeout))
                    report.add(part)
                    if part.isWhole || part.broken != nil { return report }
                    request.fromPosition = part.position
                    request.link = part.link
                }
            }
        }

        private func heads() throws -> TrailWitness {
            var heads = TrailWitness()
            for file in witness {
                let lines = try RecordReader(file, form: .lines)
                while let line = try lines.record() { heads.take(line.bytes) }
                if heads.texts.isEmpty { Screen.error("\(file) has no heads") }
            }
            return heads
        }
    }
}
