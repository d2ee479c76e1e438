import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("Page tokens")
struct PageTokenTests {
    @Test(
        "the parts of a token are read as they were written, also if the last has slashes",
        arguments: ["main", "a/b/", "/", "", "\u{301}x", "\u{1F468}\u{200D}\u{1F4BB}"])
    func asWritten(_ name: String) throws {
        let token = PageToken.text("settings", name)
        let place = try PageToken.place(token, parts: 2) { $0 }
        let parts = try #require(place)
        #expect(parts.count == 2 && parts[0] == "settings")
        #expect(parts[1].unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    @Test("no token is the first page; too few parts, and what is no place, are refused")
    func refused() throws {
        let first = try PageToken.place("", parts: 2) { $0 }
        #expect(first == nil)
        for count in [2, 3] {
            let error = #expect(throws: ServiceError.self) {
                try PageToken.place("x", parts: count) { $0 }
            }
            #expect(error?.fields == ["page_token"])
        }
        #expect(throws: ServiceError.self) { try PageToken.place("x", parts: 1) { Int8($0[0]) } }
    }
}
