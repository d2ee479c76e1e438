import Contracts
import Foundation
import RPC
import Testing

@Suite("G-25: calls that only set a state, and do not look at the idempotency key")
struct RepeatedStatesTests {
    private static let reads = [
        "Get", "List", "LookUp", "Read", "Watch", "Has", "Check", "Compare", "Fetch", "Download",
        "Preview", "Describe", "Introspect",
    ]
    /// `ReceiveProviderNotice` is recognised by the id of the notice.
    private static let recognised = [ProviderNoticesDescription.receiveProviderNotice]

    /// The idempotent methods that neither read nor look at the key, each as `Service/Method`. Their
    /// repeat sets the state again.
    private static let states = ServiceDescription.ofGateway.flatMap(\.methods)
        .filter { method in
            method.isIdempotent && !method.remembersRepeats && !recognised.contains(method)
                && !reads.contains { method.rpcName.hasPrefix($0) }
        }
        .map { String($0.name.dropFirst("postern.gateway.v1.".count)) }

    @Test("the page for apps names those that do not look at the key", arguments: states)
    func page(method: String) throws {
        let page = try Self.page()
        let start = try #require(page.range(of: "- These calls do not look at"))
        let end = try #require(page[start.upperBound...].range(of: "\n- "))
        let list = page[start.lowerBound..<end.lowerBound].split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        let parts = method.split(separator: "/")
        #expect(
            list.contains("all of `\(parts[0])`") || list.contains("`\(method)`")
                || list.contains("`\(parts[1])`"))
    }

    /// The page for developers of apps.
    private static func page() throws -> String {
        // This file is Repeats/RepeatedStatesTests.swift, possibly reached through a link.
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = "/" + file.pathComponents.dropFirst().dropLast(4).joined(separator: "/")
        return try String(
            contentsOfFile: root + "/Protos/postern/gateway/README.md", encoding: .utf8)
    }
}
