/// `CURLOPT_HEADERFUNCTION` for SMTP: receives one line of the server's replies.
func takeAnswerLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ owner: UnsafeMutableRawPointer?
) -> Int {
    if let owner {
        let handle = Unmanaged<EasyHandle>.fromOpaque(owner).takeUnretainedValue()
        let line = UnsafeRawBufferPointer(start: bytes, count: size &* count)
        handle.conversation?.take(line)
    }
    return size &* count
}
