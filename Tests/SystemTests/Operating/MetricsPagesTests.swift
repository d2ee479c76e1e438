import TestSupport
import Testing

extension SystemTests {
    @Suite("A-04: metrics of the running programs")
    struct MetricsPages {
        @Test("each program's page has help texts, units and no needless empty buckets")
        func rules() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                _ = try await cluster.signUp(ada)
                _ = try await cluster.signIn(ada)
                for service in BuiltPrograms.services + ["web"] {
                    let answer = try cluster.metrics(service, "/metrics")
                    let head = try #require(answer.firstRange(of: "\r\n\r\n"))
                    let page = String(answer[head.upperBound...])
                    #expect(page.contains("postern_build_info{program=\"postern-\(service)\""))
                    let findings = MetricsPageCheck.findings(in: page)
                    #expect(findings.isEmpty, "\(service): \(findings.joined(separator: "\n"))")
                }
            }
        }
    }
}
