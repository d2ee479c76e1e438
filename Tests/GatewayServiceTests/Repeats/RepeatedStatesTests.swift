import Contracts
import RPC
import TestSupport
import Testing

@Suite("G-25: calls that only set a state, and do not look at the idempotency key")
struct RepeatedStatesTests {
    private static let reads = [
        "Get", "List", "LookUp", "Read", "Watch", "Has", "Check", "Compare", "Fetch", "Download",
        "Preview", "Describe", "Introspect",
    ]
    /// `ReceiveProviderNotice` is recognised by the id of the notice.
    private static let recognised = [ProviderNoticesDescription.receiveProviderNotice]

    /// The idempotent methods that neither read nor look at the key, each as `Service/Method`.
    /// Their repeat sets the state again.
    private static let states = ServiceDescription.ofGateway.flatMap(\.methods)
        .filter { method in
            method.isIdempotent && !method.remembersRepeats && !recognised.contains(method)
                && !reads.contains { method.rpcName.hasPrefix($0) }
        }
        .map { String($0.name.dropFirst("postern.gateway.v1.".count)) }

    @Test("the page about repeats names those that do not look at the key", arguments: states)
    func page(method: String) throws {
        let service = method.prefix { $0 != "/" }
        let name = "`\(method.dropFirst(service.count + 1))`"
        let lists = try Self.lists()
        let listed = try #require(lists[service], "nothing about \(service)")
        #expect(listed.hasPrefix("all") != listed.contains(name), "\(listed)")
    }

    @Test("the page about repeats names no other")
    func others() throws {
        let lists = try Self.lists()
        #expect(lists.count > 5)
        for (service, listed) in lists {
            // Every second piece is between backticks.
            let pieces = listed.split(separator: "`", omittingEmptySubsequences: false)
            for piece in stride(from: 1, to: pieces.count, by: 2).map({ pieces[$0] }) {
                let isState = Self.states.contains("\(service)/\(piece)")
                #expect(isState != listed.hasPrefix("all"), "\(service)/\(piece)")
            }
        }
    }

    /// What the page says about each service: "all", "all but" some methods, or methods.
    private static func lists() throws -> [Substring: Substring] {
        let page = try CommittedFile("Protos/postern/gateway/repeats.md").text()
        let pairs = page.split(separator: "\n")
            .compactMap { $0.wholeMatch(of: #/- `(\w+)`: (.+)/#) }
            .map { ($0.1, $0.2) }
        return Dictionary(pairs) { first, _ in first }
    }
}
