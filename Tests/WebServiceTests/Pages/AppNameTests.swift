import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import WebService

@Suite("The app's name on pages", .timeLimit(.minutes(1)))
struct AppNameTests {
    let time = ManualTime()
    let gateway = NamingGateway()
    let name: AppName

    init() { name = AppName(gateway, time: time) }

    @Test("a hundred pages cost one call; five minutes later there is another, and none waits")
    func once() async throws {
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { #expect(await name.current() == "Shop") }
            }
        }
        #expect(gateway.calls == 1)
        gateway.answer(.success("Store"))
        time.advance(by: .seconds(300))
        #expect(await name.current() == "Shop", "the page does not wait")
        #expect(try await eventually { await name.current() == "Store" })
        #expect(gateway.calls == 2)
    }

    @Test("while the gateway does not answer there is no name, or the last one")
    func failing() async throws {
        gateway.answer(.failure(ServiceError(.unavailable)))
        for _ in 0..<10 { #expect(await name.current() == "") }
        #expect(gateway.calls == 1)
        gateway.answer(.success("Shop"))
        time.advance(by: .seconds(5))
        #expect(await name.current() == "Shop")
        gateway.answer(.failure(ServiceError(.unavailable)))
        time.advance(by: .seconds(300))
        for _ in 0..<10 { #expect(await name.current() == "Shop") }
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

/// A gateway that is asked for the app's name only.
final class NamingGateway: SignInOptionsAPI {
    private let state = Mutex((calls: 0, answer: Result<String, ServiceError>.success("Shop")))

    var calls: Int { state.withLock { $0.calls } }

    func answer(_ answer: Result<String, ServiceError>) { state.withLock { $0.answer = answer } }

    func getSignInOptions(
        _ request: GatewayV1.GetSignInOptionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetSignInOptionsResponse {
        let answer = state.withLock { state in
            state.calls += 1
            return state.answer
        }
        return GatewayV1.GetSignInOptionsResponse(appName: try answer.get())
    }

    func checkPassword(
        _ request: GatewayV1.CheckPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.CheckPasswordResponse { throw ServiceError(.unknownMethod) }
}
