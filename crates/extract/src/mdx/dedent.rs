//! Takes off indentation, which in MDX never makes code, and remembers where each byte came from.

/// Plain Markdown made from masked MDX.
#[derive(Debug, Default)]
pub(super) struct Plain {
    pub(super) text: String,
    /// `(offset here, offset in the source)` at the start of each stretch that was copied as it is.
    map: Vec<(usize, usize)>,
}

impl Plain {
    /// Where the byte at `offset` stood in the source.
    pub(super) fn source(&self, offset: usize) -> usize {
        let stretch = self.map.partition_point(|(here, _)| *here <= offset);
        match stretch.checked_sub(1).map(|at| self.map[at]) {
            Some((here, source)) => source + (offset - here),
            None => self.map.first().map_or(0, |(_, source)| *source),
        }
    }

    /// Where a span that ends before `offset` ended in the source.
    pub(super) fn source_end(&self, offset: usize) -> usize {
        match offset.checked_sub(1) {
            Some(last) => self.source(last) + 1,
            None => self.source(0),
        }
    }

    fn copy(&mut self, bytes: &str, source: usize) {
        if !bytes.is_empty() {
            self.map.push((self.text.len(), source));
            self.text.push_str(bytes);
        }
    }
}

/// `masked` begins at `start` in the source.
pub(super) fn dedent(masked: &str, start: usize) -> Plain {
    let mut plain = Plain { text: String::with_capacity(masked.len()), map: Vec::new() };
    let (mut at, mut open_brackets) = (0, 0_usize);
    for line in masked.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        if content.trim().is_empty() {
            // A blanked line inside a label must not end the paragraph.
            if open_brackets > 0 && !content.is_empty() {
                plain.text.push('x');
            } else {
                open_brackets = 0;
            }
        } else {
            one_line(&mut plain, content, start + at);
            open_brackets = brackets(content, open_brackets);
        }
        plain.copy(&line[content.len()..], start + at + content.len());
        at += line.len();
    }
    plain
}

/// Copies a line without its indentation and with exactly one blank after each container mark.
fn one_line(plain: &mut Plain, line: &str, source: usize) {
    let mut at = blanks(line, 0);
    while let Some(end) = container_mark(line, at) {
        plain.copy(&line[at..end], source + at);
        plain.text.push(' ');
        at = blanks(line, end);
    }
    plain.copy(&line[at..], source + at);
}

/// The end of a quote or list mark at `at`.
pub(super) fn container_mark(line: &str, at: usize) -> Option<usize> {
    let bytes = &line.as_bytes()[at..];
    let ends_well = |length: usize| matches!(bytes.get(length), None | Some(b' ' | b'\t'));
    match bytes.first()? {
        b'>' => Some(at + 1),
        b'-' | b'*' | b'+' if ends_well(1) => Some(at + 1),
        b'0'..=b'9' => {
            let digits = bytes.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
            let marked =
                digits <= 9 && matches!(bytes.get(digits), Some(b'.' | b')')) && ends_well(digits + 1);
            marked.then_some(at + digits + 1)
        }
        _ => None,
    }
}

pub(super) fn blanks(line: &str, from: usize) -> usize {
    from + line.as_bytes()[from..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn brackets(line: &str, open: usize) -> usize {
    let (mut open, mut escaped) = (open, false);
    for byte in line.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'[' => open += 1,
            b']' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open
}
