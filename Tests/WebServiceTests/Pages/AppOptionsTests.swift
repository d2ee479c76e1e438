import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import WebService

@Suite("What pages say of the app", .timeLimit(.minutes(1)))
struct AppOptionsTests {
    let time = ManualTime()
    let gateway = NamingGateway()
    let options: CurrentAppOptions

    init() { options = CurrentAppOptions(gateway, time: time) }

    @Test("a hundred pages cost one call; five minutes later there is another, and none waits")
    func once() async throws {
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { #expect(await options.current().name == "Shop") }
            }
        }
        #expect(gateway.calls == 1)
        gateway.answer(.success("Store"))
        time.advance(by: .seconds(300))
        #expect(await options.current().name == "Shop", "the page does not wait")
        #expect(try await eventually { await options.current().name == "Store" })
        #expect(gateway.calls == 2)
    }

    @Test("while the gateway does not answer there is no name, or the last one")
    func failing() async throws {
        gateway.answer(.failure(ServiceError(.unavailable)))
        for _ in 0..<10 { #expect(await options.current().name == "") }
        #expect(gateway.calls == 1)
        gateway.answer(.success("Shop"))
        time.advance(by: .seconds(5))
        #expect(await options.current().name == "Shop")
        gateway.answer(.failure(ServiceError(.unavailable)))
        time.advance(by: .seconds(300))
        for _ in 0..<10 { #expect(await options.current().name == "Shop") }
    }

    @Test("rules for new passwords have their numbers; one of a newer identity is left out")
    func rules() async {
        gateway.rules([
            .init(rule: "length", minimum: 15, maximum: 128), .init(rule: "digit"),
            .init(rule: "haiku"), .init(rule: "common", minimum: 2, maximum: 1),
        ])
        let rules = await options.current().passwordRules
        #expect(rules.map(\.rule) == [.length, .digit])
        #expect(
            rules.map { $0.sentence(in: Voice(.german)) } == [
                "Das Passwort muss 15 bis 128 Zeichen lang sein.",
                "Das Passwort muss eine Ziffer enthalten.",
            ])
    }

    @Test("each page says whose it is: the app's name, as identity has it")
    func pages() async throws {
        try await PagesFixture.run { fixture in
            for page in Page.allCases {
                let open = try await fixture.open(page, page.needsLink ? "token=good" : "lang=en")
                let name: HTML = "\(PagesGateway.appName)"
                #expect(open.response.text.contains("<span>\(name.text)</span>\n</header>"))
                #expect(open.response.text.contains(" – \(name.text)</title>"))
            }
        }
    }
}

/// A gateway that is asked for its options only.
final class NamingGateway: SignInOptionsAPI {
    private struct State {
        var calls = 0
        var answer = Result<String, ServiceError>.success("Shop")
        var rules: [GatewayV1.PasswordRule] = []
    }

    private let state = Mutex(State())

    var calls: Int { state.withLock { $0.calls } }

    func answer(_ answer: Result<String, ServiceError>) { state.withLock { $0.answer = answer } }

    func rules(_ rules: [GatewayV1.PasswordRule]) { state.withLock { $0.rules = rules } }

    func getSignInOptions(
        _ request: GatewayV1.GetSignInOptionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetSignInOptionsResponse {
        let (answer, rules) = state.withLock { state in
            state.calls += 1
            return (state.answer, state.rules)
        }
        return GatewayV1.GetSignInOptionsResponse(
            password: .init(rules: rules), appName: try answer.get())
    }

    func checkPassword(
        _ request: GatewayV1.CheckPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.CheckPasswordResponse { throw ServiceError(.unknownMethod) }
}
