import Glibc
import Messages
import PosternClient
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("B3: a failing part is reported, and no program goes out of service")
    struct Degraded {
        @Test("B3: a peer that hangs is reported by its callers, and they keep serving")
        func peer() async throws {
            try await Cluster.with { cluster in
                let identity = try #require(cluster.processes["postern-identity"])
                kill(identity, SIGSTOP)
                defer { kill(identity, SIGCONT) }
                let named = try await eventually {
                    try cluster.metrics("gateway", "/readyz").contains("degraded: identity")
                }
                #expect(named)
                #expect(try cluster.metrics("gateway", "/readyz").hasPrefix("HTTP/1.1 200"))
                let status = try await cluster.status()
                #expect(status.exitCode == 1, "identity itself accepts no calls")
                #expect(status.output.contains("serving, degraded: identity ("))
                kill(identity, SIGCONT)
                try await cluster.expectRecovered()
            }
        }
    }

    @Suite(
        "B3: a full disk is reported, and no program goes out of service",
        .enabled(if: TestStore.runs("Disk*")))
    struct DiskDegraded {
        /// The error of a sign-in, once sign-ins fail.
        private func refusal(_ person: Person, _ backend: LoadBackend) async throws -> ServiceError?
        {
            var refused: ServiceError?
            _ = try await eventually {
                do {
                    _ = try await backend.signIn(person)
                    return false
                } catch let error as ServiceError {
                    refused = error
                    return true
                }
            }
            return refused
        }

        @Test(
            "B3: with session's disk full, validation and the revocation feed work at two gateways")
        func sessionsDisk() async throws {
            try await Cluster.with { cluster in
                let second = GatewayProgram("second", of: cluster)
                try await second.start()
                let backends = [
                    try LoadBackend(cluster),
                    try LoadBackend(port: second.port, data: cluster.data),
                ]
                let ada = try await Visitor.signUp(1..<2, backends[0])[0]
                let session = try #require(cluster.processes["postern-session"])
                try Command.run("prlimit", ["--pid", "\(session)", "--fsize=0:unlimited"])
                let error = try await refusal(ada.person, backends[0])
                #expect(error?.code == .unavailable)
                #expect(error?.unavailablePart == "gateway.session.store")
                try await cluster.expectDegraded("store", of: "session")
                let token = await ada.session.accessToken
                for backend in backends {
                    try await backend.checkHealth()
                    #expect(try await backend.isSignedIn(token, of: ada.person))
                    let verifier = backend.verifier()
                    let work = Task { await verifier.run() }
                    let isFresh = try await eventually { verifier.freshness != nil }
                    #expect(isFresh, "the revocation feed starts and continues")
                    guard case .good = await verifier.verify(token) else {
                        Issue.record("a valid token is rejected")
                        continue
                    }
                    work.cancel()
                }
                try Command.run("prlimit", ["--pid", "\(session)", "--fsize=unlimited:unlimited"])
                try await cluster.expectRecovered()
                _ = try await backends[1].signIn(ada.person)
                #expect(cluster.processes["postern-session"] == session, "it was not restarted")
                for backend in backends { backend.close() }
                await second.stop()
            }
        }
    }
}

extension Cluster {
    /// Checks health, the metrics port and the tool while a part of a program fails.
    fileprivate func expectDegraded(_ part: String, of service: String) async throws {
        let named = try await eventually {
            try await self.status().output.contains("degraded: \(part) (")
        }
        let status = try await self.status()
        #expect(named, "\(status.output)")
        #expect(status.exitCode == 1, "a part fails")
        let line = status.output.split(separator: "\n").first { $0.hasPrefix(service) } ?? ""
        #expect(line.contains("serving, degraded: \(part) ("), "\(status.output)")
        let ready = try metrics(service, "/readyz")
        #expect(ready.hasPrefix("HTTP/1.1 200") && ready.contains("degraded: \(part)"))
        #expect(try metrics(service, "/health").hasPrefix("HTTP/1.1 200"))
        #expect(try metrics(service, "/livez").hasPrefix("HTTP/1.1 200"))
        let metrics = try self.metrics(service, "/metrics")
        #expect(metrics.contains("postern_degraded{part=\"\(part)\"} 1"))
    }

    /// Checks that no part fails any more.
    fileprivate func expectRecovered() async throws {
        let isWell = try await eventually {
            try await !self.status().output.contains("degraded")
        }
        let status = try await self.status()
        #expect(isWell, "\(status.output)")
    }
}
