import Glibc
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// The promise is two seconds, on a machine without other load; a shared machine gets more. The
    /// bound is less than a start after the longest wait of `RestartWait`, five seconds, which is
    /// for a service that never becomes ready.
    private static let readyAgainWithin = Duration.seconds(5)

    @Test("B20: a service that is killed ten times in a row is ready again within seconds")
    func tenTimes() async throws {
        try await Cluster.with { cluster in
            for time in 1...10 {
                let killed = cluster.processes["postern-session"]
                try cluster.crash("session")
                let isReady = try await eventually(within: Self.readyAgainWithin) {
                    cluster.isReady("session", notAs: killed)
                }
                try #require(isReady, "kill \(time): \(cluster.output)")
            }
            let signedUp = try await eventually {
                try await cluster.signUp(Person(1), key: "k").exitCode == 0
            }
            #expect(signedUp)
        }
    }
}

extension Cluster {
    /// Whether a program runs in another process than `former` and accepts calls.
    fileprivate func isReady(_ service: String, notAs former: pid_t?) -> Bool {
        guard let process = processes["postern-\(service)"], process != former else { return false }
        // It is not ready while it has not written its port, or refuses connections.
        guard let page = try? metrics(service, "/readyz") else { return false }
        return page.hasPrefix("HTTP/1.1 200")
    }
}
