import Contracts
import Messages
import MetricsTestKit
import RPC
import ServiceRuntime
import TestSupport
import Testing

/// An instance behind a network that can be stalled: then its server is as silent as a stopped
/// process, which still accepts connections and bytes.
struct StallableInstance: Sendable {
    let instance: Instance
    /// Instances with a good network, of which the client has the addresses too.
    let neighbours: [Instance]
    let client: RPCClient
    private let proxy: FaultProxy
    private let metrics: TestMetrics

    /// Runs `body` with a client of the instance behind `network`.
    static func run(
        _ network: ConnectionFaults = .none, neighbours: Int = 0,
        body: @Sendable (StallableInstance) async throws -> Void
    ) async throws {
        try await Instances.run(1 + neighbours) { fixture in
            let proxy = try FaultProxy(to: fixture.servers[0].port) { _ in network }
            let metrics = TestMetrics()
            let ports = [proxy.port] + fixture.servers.dropFirst().map(\.port)
            let client = Instances.client(
                ports.map { "127.0.0.1:\($0)" }, group: fixture.group, metrics: metrics)
            try await body(
                StallableInstance(
                    instance: fixture.instances[0],
                    neighbours: Array(fixture.instances.dropFirst()), client: client,
                    proxy: proxy, metrics: metrics))
            client.close()
            proxy.stop()
        }
    }

    /// From now on nothing arrives at either side.
    func stall() {
        proxy.set(ConnectionFaults(upwards: .stall(after: 0), downwards: .stall(after: 0)))
    }

    func endStall() { proxy.clearFaults() }

    /// How often a breaker has opened.
    var opens: Int64 {
        // A counter that was never created has counted nothing.
        (try? metrics.expectCounter(
            "rpc_client_breaker_opens", [("service", "test.instance")]
        ).totalValue) ?? 0
    }

    /// Breakers that are open.
    var openBreakers: Double {
        let address = "127.0.0.1:\(proxy.port)"
        let meter = try? metrics.expectMeter(
            "rpc_client_breakers_open", [("service", "test.instance"), ("address", address)])
        return meter?.values.last ?? 0
    }

    func call(timeout: Duration = .seconds(10)) async throws {
        let _: Instance.Response = try await client.call(
            Instance.plain, Instance.Request(), client.context(timeout: timeout))
    }

    /// A call that no handler delays: the instance does not have this method.
    func check() async throws {
        let error = await #expect(throws: ServiceError.self) {
            try await HealthClient(client).check(.init(), client.context(timeout: .seconds(5)))
        }
        #expect(error?.code == .unknownMethod)
    }

    /// The errors of `count` calls at once; nil for one that succeeds.
    func failures(
        _ count: Int, within timeout: Duration, isCallersDeadline: Bool = false
    ) async -> [ServiceError?] {
        let context = CallContext(
            deadline: client.context(timeout: timeout).deadline,
            isCallersDeadline: isCallersDeadline)
        return await withTaskGroup(of: ServiceError?.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do {
                        let _: Instance.Response = try await client.call(
                            Instance.plain, Instance.Request(), context)
                        return nil
                    } catch {
                        return error as? ServiceError
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
