import Testing

@testable import WebService

@Suite("Entity tags")
struct EntityTagTests {
    @Test(
        "If-None-Match is compared as RFC 9110 says",
        arguments: [
            ("TAG", true), ("W/TAG", true), ("\"b\", TAG", true), ("*", true),
            ("\"b\"", false), ("a", false), ("", false),
        ])
    func conditions(field: String, isIn: Bool) {
        let tag = EntityTag(of: "a".utf8)
        #expect(tag.isIn(field.replacing("TAG", with: tag.text)) == isIn)
    }

    @Test("a request without the field has no copy, and other bytes have another tag")
    func absence() {
        let tag = EntityTag(of: "a".utf8)
        #expect(!tag.isIn(nil))
        #expect(tag != EntityTag(of: "b".utf8))
        #expect(tag == EntityTag(of: "a".utf8))
    }
}
