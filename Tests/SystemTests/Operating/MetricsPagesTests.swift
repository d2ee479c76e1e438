import TestSupport
import Testing

extension SystemTests {
    @Suite("A-04: metrics of the running programs")
    struct MetricsPages {
        @Test("each program's page has help texts, units, its labels, no needless empty buckets")
        func rules() async throws {
            let labels = Dictionary(
                uniqueKeysWithValues: try UnchangedList("metrics").lines.map { line in
                    let words = line.split(separator: " ").map(String.init)
                    return (words[0], Set(words[1...]))
                })
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
                    for (name, found) in Self.labels(of: page) {
                        #expect(found == labels[name] ?? found, "\(service): \(name)")
                    }
                }
            }
        }

        /// Each series of a page: the metric's name and the names of its labels.
        private static func labels(of page: String) -> [(name: String, labels: Set<String>)] {
            page.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
                let name = line.prefix { $0 != "{" && $0 != " " }.trimmingPrefix("postern_")
                    .replacing(/_(bucket|sum|count)$/, with: "")
                let labels = line.matches(of: /[{,]([a-z_]+)="/).map { String($0.1) }
                return (String(name), Set(labels).subtracting(["le"]))
            }
        }
    }
}
