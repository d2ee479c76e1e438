import Testing

@testable import RPC

@Suite("Choosing among addresses")
struct BalancerTests {
    private func choose(
        _ balancer: inout Balancer, _ conditions: [Balancer.Condition], avoiding avoided: Int? = nil
    ) -> Balancer.Choice {
        balancer.choose(among: conditions.count, avoiding: avoided) { conditions[$0] }
    }

    @Test("serving endpoints are chosen round-robin, and no others")
    func round() {
        var balancer = Balancer()
        let conditions: [Balancer.Condition] = [
            .serving, .unhealthy, .serving, .unreachable, .barred(until: .zero), .serving,
        ]
        let choices = (0..<6).map { _ in choose(&balancer, conditions) }
        #expect(choices == [0, 2, 5, 0, 2, 5].map { .endpoint($0) })
    }

    @Test("if none is serving, connected endpoints are chosen round-robin")
    func panic() {
        var balancer = Balancer()
        let conditions: [Balancer.Condition] = [.unhealthy, .unreachable, .unhealthy]
        let choices = (0..<4).map { _ in choose(&balancer, conditions) }
        #expect(choices == [0, 2, 0, 2].map { .endpoint($0) })
    }

    @Test("if none is connected a call waits, unless every breaker is open")
    func wait() {
        let until = Duration.seconds(7)
        let later = until + .seconds(1)
        let cases: [([Balancer.Condition], Balancer.Choice)] = [
            ([], .wait),
            ([.unreachable], .wait),
            ([.barred(until: until), .unreachable], .wait),
            ([.barred(until: until)], .barred(until: until)),
            ([.barred(until: later), .barred(until: until)], .barred(until: until)),
            ([.barred(until: until), .unhealthy], .endpoint(1)),
        ]
        for (conditions, choice) in cases {
            var balancer = Balancer()
            #expect(choose(&balancer, conditions) == choice, "\(conditions)")
        }
    }

    @Test(
        "the endpoint that just failed the call is chosen only if no equal one is left",
        arguments: [
            ([Balancer.Condition.serving, .serving], 1),
            ([.serving, .unhealthy], 0),
            ([.serving, .unreachable], 0),
            ([.unhealthy, .unhealthy], 1),
            ([.unhealthy, .serving], 1),
            ([.unhealthy, .unreachable], 0),
            ([.serving], 0),
        ])
    func avoided(conditions: [Balancer.Condition], place: Int) {
        for steps in 0..<3 {
            var balancer = Balancer()
            for _ in 0..<steps { _ = choose(&balancer, conditions) }
            #expect(choose(&balancer, conditions, avoiding: 0) == .endpoint(place))
        }
    }

    @Test("a retry does not advance the round-robin, so first tries are spread evenly")
    func steps() {
        var balancer = Balancer()
        for conditions in [[Balancer.Condition.serving, .serving], [.unhealthy, .unhealthy]] {
            for step in 0..<6 {
                let first = step % 2
                #expect(choose(&balancer, conditions) == .endpoint(first))
                #expect(choose(&balancer, conditions, avoiding: first) == .endpoint(1 - first))
            }
        }
    }

    @Test("choosing another endpoint for a hedge does not advance the round-robin")
    func other() {
        let conditions: [Balancer.Condition] = [.serving, .unhealthy, .serving]
        var balancer = Balancer()
        for _ in 0..<3 {
            #expect(balancer.other(among: 3, than: 0) { conditions[$0] } == 2)
            #expect(balancer.other(among: 3, than: 2) { conditions[$0] } == 0)
            #expect(balancer.other(among: 2, than: 0) { conditions[$0] } == nil)
        }
        #expect(choose(&balancer, conditions) == .endpoint(0))
    }
}
