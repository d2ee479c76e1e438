import Foundation
import Glibc
import Testing

extension SystemTests {
    @Suite("Inspecting a running system")
    struct Operating {
        @Test(
            "endpoints.json names every address and the keys for calls, readable by its owner only")
        func endpoints() async throws {
            try await Cluster.with { cluster in
                let file = URL(filePath: "\(cluster.data)/endpoints.json")
                let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
                let said = try #require(json as? [String: Any])
                for service in BuiltPrograms.services {
                    let address = try #require(said[service] as? String)
                    #expect(address.hasPrefix("127.0.0.1:"))
                }
                let web = try #require(said["web"] as? [String: String])
                #expect(web["url"]?.hasPrefix("http://127.0.0.1:") == true)
                let appKey = try #require(web["app_key"])
                #expect(appKey.hasPrefix("pk_"))
                #expect(cluster.output.contains("-H 'x-postern-app: \(appKey)'"))
                for (name, id) in [("application", "app"), ("admin", "tool")] {
                    let key = try #require(said[name] as? [String: String])
                    #expect(key["id"] == id)
                    let path = try #require(key["secret_file"])
                    #expect(mode("\(cluster.data)/\(path)") == 0o600)
                }
                #expect(mode(file.path) == 0o600)
                #expect(mode(cluster.data) == 0o700)
            }
        }

        @Test("postern status reports each program")
        func status() async throws {
            try await Cluster.with { cluster in
                let well = try await cluster.status()
                #expect(well.exitCode == 0)
                let lines = well.output.split(separator: "\n").map { $0.split(separator: " ") }
                #expect(
                    lines.map { $0.first.map(String.init) } == BuiltPrograms.services + ["web"])
                #expect(lines.allSatisfy { $0.dropFirst() == ["serving"] })
                await cluster.stop()
                let gone = try await cluster.status()
                #expect(gone.exitCode == 1)
                #expect(gone.output.contains("gateway         no answer"))
            }
        }

        @Test("X-06: each program serves metrics and health on this machine")
        func metrics() async throws {
            try await Cluster.with { cluster in
                _ = try await cluster.signUp(Person(1))
                for service in BuiltPrograms.services + ["web"] {
                    let metrics = try cluster.metrics(service, "/metrics")
                    #expect(metrics.hasPrefix("HTTP/1.1 200"), "\(service): \(metrics)")
                    #expect(metrics.contains("# TYPE "))
                    #expect(try cluster.metrics(service, "/health").hasPrefix("HTTP/1.1 200"))
                    #expect(try cluster.metrics(service, "/horse").hasPrefix("HTTP/1.1 404"))
                }
            }
        }

        @Test("every service answers health and reflection calls under its own name")
        func alwaysThere() async throws {
            try await Cluster.with { cluster in
                let health = try await cluster.call("postern.health.v1.Health/Check", "{}")
                #expect(health.json.contains("SERVING_STATUS_SERVING"))
                let list = try await cluster.call(
                    "postern.reflection.v1.Reflection/ListServices", "{}")
                #expect(list.json.contains("postern.gateway.v1.Auth"))
                let keys = try await cluster.call(
                    "postern.gateway.v1.Verification/GetKeySet", "{}")
                #expect(keys.exitCode == 0)
            }
        }

        private func mode(_ path: String) -> mode_t? {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            return status.st_mode & 0o777
        }
    }
}

extension Cluster {
    /// The address of each service.
    func addresses() throws -> [String: String] {
        let file = URL(filePath: "\(data)/endpoints.json")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        return (json as? [String: Any] ?? [:]).compactMapValues { $0 as? String }
    }
}
