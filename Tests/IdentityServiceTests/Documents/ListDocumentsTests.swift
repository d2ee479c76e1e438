import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-07: documents are listed in pages")
struct ListDocumentsTests {
    @Test("documents are in the order of their last changes, of all collections or one")
    func order() async throws {
        let fixture = try await DocumentFixture()
        let empty = try await fixture.list()
        #expect(empty.documents.isEmpty && empty.position == 0 && empty.nextPageToken.isEmpty)
        for name in ["a", "b", "c"] { _ = try await fixture.write("{}", to: name) }
        _ = try await fixture.write("{}", to: "a", in: "goals")
        _ = try await fixture.write(#"{"x":1}"#, to: "a")
        let all = try await fixture.list()
        #expect(all.documents.map(\.name) == ["b", "c", "a", "a"])
        #expect(all.documents.map(\.json) == ["{}", "{}", "{}", #"{"x":1}"#])
        #expect(all.documents.map(\.version) == [1, 1, 1, 2])
        let settings = try await fixture.list("settings", withJSON: false)
        #expect(settings.documents.map(\.name) == ["b", "c", "a"])
        #expect(settings.documents.allSatisfy { $0.json.isEmpty })
        #expect(settings.position == all.position)
    }

    @Test("a page has at most 96 KiB of JSON and 100 documents, and the pages have all")
    func pages() async throws {
        let fixture = try await DocumentFixture()
        let json = #"{"a":""# + String(repeating: "x", count: 40 << 10) + #""}"#
        for number in 0..<5 { _ = try await fixture.write(json, to: "large \(number)") }
        for start in stride(from: 0, to: 120, by: 40) {
            _ = try await fixture.write(
                (start..<start + 40).map { .make("goals", "\($0)", "{}") })
        }
        var sizes: [Int] = []
        var names: Set<String> = []
        var page = ""
        repeat {
            let list = try await fixture.list(page: page)
            #expect(list.documents.reduce(0) { $0 + $1.json.utf8.count } <= 96 << 10)
            sizes.append(list.documents.count)
            names.formUnion(list.documents.map(\.name))
            page = list.nextPageToken
        } while !page.isEmpty
        #expect(sizes == [2, 2, 100, 21])
        #expect(names.count == 125)
    }

    @Test("an invalid page or collection is refused")
    func invalid() async throws {
        let fixture = try await DocumentFixture()
        for page in ["x", "0", "-1", "99999999999999999999"] {
            let error = try await refusal { try await fixture.list(page: page) }
            #expect(error == ServiceError(.invalidArgument, fields: ["page_token"]))
        }
        let error = try await refusal { try await fixture.list("A") }
        #expect(error == ServiceError(.invalidArgument, fields: ["collection"]))
    }
}
