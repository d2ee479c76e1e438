import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("Retries of a call", .timeLimit(.minutes(1)))
struct RetryTests {
    private static let gone = ServiceError(.unavailable)

    @Test("Protos/README.md, Client: an idempotent call is tried three times, retries are numbered")
    func three() async throws {
        try await Instances.run(1) { fixture in
            let instance = fixture.instances[0]
            instance.feels(.failing(Self.gone))
            #expect(await fixture.failure(Instance.repeatable)?.code == .unavailable)
            #expect(instance.attempts == ["", "2", "3"])
            #expect(fixture.count("rpc_client_retries") == 2)
            instance.feels(.failing(Self.gone, times: 1))
            try await fixture.call(Instance.repeatable)
        }
    }

    @Test("Protos/README.md, Client: a call with an idempotency-key is retried, any other is not")
    func keyed() async throws {
        try await Instances.run(1) { fixture in
            let instance = fixture.instances[0]
            instance.feels(.failing(Self.gone, times: 1))
            #expect(await fixture.failure()?.code == .unavailable)
            #expect(instance.calls == 1)
            instance.feels(.failing(Self.gone, times: 1))
            try await fixture.call(key: "once")
            #expect(instance.calls == 3)
        }
    }

    @Test("a retry goes to another instance if there is one")
    func elsewhere() async throws {
        try await Instances.run(2) { fixture in
            try await fixture.warmUp()
            fixture.instances[0].feels(.failing(Self.gone))
            for _ in 0..<4 {
                let name = try await fixture.call(Instance.repeatable)
                #expect(name == "1")
            }
        }
    }

    @Test("Protos/README.md, Client: the retry budget stops retries when all calls fail")
    func storm() async throws {
        try await Instances.run(1) { fixture in
            fixture.instances[0].feels(.failing(Self.gone))
            for _ in 0..<100 { _ = await fixture.failure(Instance.repeatable) }
            // Ten tokens: two calls use their three tries, then five are left and no call is
            // retried.
            #expect(fixture.instances[0].calls == 104)
        }
    }

    @Test("Protos/README.md, Client: a retry waits at least as long as retry_after says")
    func retryAfter() async throws {
        try await Instances.run(1) { fixture in
            let instance = fixture.instances[0]
            instance.feels(
                .failing(
                    ServiceError(.resourceExhausted, retryAfter: .milliseconds(250)), times: 1))
            try await fixture.call(Instance.repeatable)
            let arrivals = instance.arrivals
            #expect(arrivals.count == 2)
            #expect(arrivals[1] - arrivals[0] >= .milliseconds(250))
        }
    }

    @Test(
        "Protos/README.md, Client: a call fails if its wait is too long or it may not be repeated")
    func handedUp() async throws {
        let busy = ServiceError(
            .resourceExhausted, retryAfter: .seconds(4), notProcessed: true)
        try await Instances.run(2) { fixture in
            try await fixture.warmUp()
            let before = fixture.instances.map(\.calls).reduce(0, +)
            for instance in fixture.instances { instance.feels(.failing(busy)) }
            let short = await fixture.failure(Instance.repeatable, timeout: .seconds(3))
            #expect(short?.retryAfter == .seconds(4))
            let plain = await fixture.failure(Instance.plain)
            #expect(plain?.code == .resourceExhausted)
            #expect(fixture.instances.map(\.calls).reduce(0, +) - before == 2)
        }
    }

    @Test("closing a client ends the calls that wait for a retry")
    func closed() async throws {
        try await Instances.run(1) { fixture in
            let busy = ServiceError(.unavailable, retryAfter: .seconds(8))
            fixture.instances[0].feels(.failing(busy))
            async let failure = fixture.failure(Instance.repeatable)
            let isRetried = try await eventually { fixture.count("rpc_client_retries") == 1 }
            #expect(isRetried)
            let clock = ContinuousClock()
            let start = clock.now
            fixture.client.close()
            let error = await failure
            #expect(error?.detail == "this client is closed")
            #expect(clock.now - start < .seconds(5))
        }
    }

    @Test("an error from a service's own rules is not retried, even with retry_after")
    func rules() async throws {
        try await Instances.run(1) { fixture in
            let limited = ServiceError(.tooManyRequests, retryAfter: .milliseconds(10))
            fixture.instances[0].feels(.failing(limited))
            #expect(await fixture.failure(Instance.repeatable)?.code == .tooManyRequests)
            #expect(fixture.instances[0].calls == 1)
        }
    }

    @Test("Protos/README.md, Client: a call that was not processed is sent elsewhere, once")
    func resent() async throws {
        let listener = try RawListener()
        try await Instances.run(1, Instances.Terms(ports: [listener.port])) { fixture in
            // The raw server accepts each call and then reports that it processed none.
            async let raw: Void = Self.goAway(listener)
            #expect(
                try await eventually {
                    try await fixture.call()
                    return fixture.instances[0].attempts.contains("2")
                })
            try await raw
            #expect(fixture.count("rpc_client_resends") == 1)
            #expect(fixture.count("rpc_client_retries") == 0)
        }
    }

    private static func goAway(_ listener: RawListener) throws {
        let server = try listener.accept()
        server.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
        while let kind = try server.receive() {
            guard case .request(let request) = kind else { continue }
            if request.method.hasSuffix("/Watch") {
                server.send(
                    .item(
                        WireV1.Item(
                            call: request.call,
                            payload: HealthV1.CheckResponse(status: .serving).encoded())))
            } else {
                server.send(.goAway(WireV1.GoAway(lastCall: 0, reason: .draining)))
            }
        }
    }
}
