import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// The app's name as identity has it (its setting `app-name`), for themes without one. It changes
/// only when identity restarts, so it is asked for once in a few minutes, and a page waits for the
/// answer only until there was a first one.
final class AppName: Sendable {
    private struct State {
        var name = ""
        /// When it is asked for again, by `Time.uptime`.
        var askedAgainAt = Duration.zero
        var asking = SingleFlight<String, Never>()
    }

    /// How long an answer counts.
    private static let freshFor = Duration.seconds(300)
    /// The time after a failure in which the gateway is not asked again.
    private static let retriedAfter = Duration.seconds(5)
    /// How long a page waits for its name: it does its work without.
    private static let timeout = Duration.seconds(1)

    private let options: any SignInOptionsAPI
    private let time: any Time
    private let state = Mutex(State())

    /// The name at the gateway that `options` calls.
    init(_ options: any SignInOptionsAPI, time: any Time) {
        self.options = options
        self.time = time
    }

    /// The name; empty if there is none, or no answer yet.
    func current() async -> String {
        let now = time.uptime()
        let (name, asking) = state.withLock { state -> (String, Task<String, Never>?) in
            guard now >= state.askedAgainAt else { return (state.name, nil) }
            return (state.name, state.asking.join { await self.ask() })
        }
        guard name.isEmpty, let asking else { return name }
        return await asking.value
    }

    private func ask() async -> String {
        let context = CallContext(deadline: time.uptime() + Self.timeout)
        // A page without the name of the last minutes is better than none: any failure keeps it.
        let answer = try? await options.getSignInOptions(.init(), context)
        return state.withLock { state in
            state.asking.end()
            state.askedAgainAt =
                time.uptime() + (answer == nil ? Self.retriedAfter : Self.freshFor)
            if let answer { state.name = answer.appName }
            return state.name
        }
    }
}
