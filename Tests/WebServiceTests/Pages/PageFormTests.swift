import Cryptography
import HTTPTypes
import TestSupport
import Testing

@testable import WebService

@Suite("Forms of pages: only a page of this service sends them")
struct PageFormTests {
    private let randomness = SeededRandomness()

    @Test("a token is valid for its visit, and for no other")
    func token() throws {
        let (visit, other) = (PageVisit(randomness), PageVisit(randomness))
        let form = PageForm(visit, randomness: randomness)
        #expect(PageForm(token: form.token, of: visit) == form)
        #expect(PageForm(token: form.token, of: other) == nil)
        let bytes = try #require(Base64URL.decode(form.token.utf8))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(PageForm(token: Base64URL.encode(changed), of: visit) == nil)
            #expect(PageForm(token: Base64URL.encode(bytes[..<index]), of: visit) == nil)
        }
        #expect(PageForm(token: "", of: visit) == nil)
        #expect(PageForm(token: "not base64url!", of: visit) == nil)
    }

    @Test("a form that is sent twice has one idempotency key; with other input it has another")
    func idempotencyKey() throws {
        let visit = PageVisit(randomness)
        let form = PageForm(visit, randomness: randomness)
        let again = try #require(PageForm(token: form.token, of: visit))
        #expect(form.idempotencyKey("call", "a") == again.idempotencyKey("call", "a"))
        let others = [
            form.idempotencyKey("call", "b"), form.idempotencyKey("sign-out", "a"),
            PageForm(visit, randomness: randomness).idempotencyKey("call", "a"),
        ]
        #expect(Set(others + [form.idempotencyKey("call", "a")]).count == 4)
        #expect(form.deviceID == PageForm(visit, randomness: randomness).deviceID)
        #expect(form.deviceID.utf8.count <= 128)
    }

    @Test(
        "the browser has to say that the form is of this origin",
        arguments: [
            // Chromium and Firefox, with Referrer-Policy: no-referrer.
            (["sec-fetch-site": "same-origin", "origin": "null"], true),
            (["sec-fetch-site": "same-origin"], true),
            // Older browsers.
            (["origin": "https://auth.example.org"], true),
            // Another page, a page of a subdomain, a sandboxed frame, a bookmark.
            (["sec-fetch-site": "cross-site", "origin": "https://evil.example"], false),
            (["sec-fetch-site": "same-site", "origin": "https://auth.example.org"], false),
            (["sec-fetch-site": "cross-site", "origin": "null"], false),
            (["sec-fetch-site": "none"], false),
            (["origin": "https://evil.example"], false),
            (["origin": "http://auth.example.org"], false),
            (["origin": "null"], false), ([:], false),
        ] as [([String: String], Bool)])
    func own(fields: [String: String], isOwn: Bool) {
        let request = AppsFixture.request(fields)
        #expect(PageForm.isOwn(request.headerFields, origin: "https://auth.example.org") == isOwn)
    }
}
