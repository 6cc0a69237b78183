/// The steps of locating the kernel's data, the only thing ever written: where tests stop a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Begun,
    Located,
    CodeNoted,
    PageNoted,
    HypervisorsNoted,
    Searched,
    Checked,
    Publishing,
    Published,
}

#[cfg(all(test, not(any(loom, miri))))]
impl Step {
    pub(crate) const ALL: [Self; 9] = [
        Self::Begun,
        Self::Located,
        Self::CodeNoted,
        Self::PageNoted,
        Self::HypervisorsNoted,
        Self::Searched,
        Self::Checked,
        Self::Publishing,
        Self::Published,
    ];
}

/// Reports that this thread has reached `step`.
#[cfg(not(test))]
#[inline(always)]
pub(crate) const fn reached(_step: Step) {}

#[cfg(all(test, not(any(loom, miri))))]
pub(crate) use hooked::at_step;
#[cfg(test)]
pub(crate) use hooked::reached;

#[cfg(test)]
mod hooked {
    use super::Step;
    use std::boxed::Box;
    use std::cell::RefCell;

    type Hook = Box<dyn FnMut(Step)>;

    std::thread_local! {
        static HOOK: RefCell<Option<Hook>> = const { RefCell::new(None) };
    }

    pub(crate) fn reached(step: Step) {
        // Taken out meanwhile: what the hook does may get here again. So may a signal handler, at any place of this function.
        let take = |kept: &RefCell<Option<Hook>>| kept.try_borrow_mut().ok()?.take();
        let Some(mut hook) = HOOK.with(take) else { return };
        hook(step);
        HOOK.with(|kept| {
            if let Ok(mut kept) = kept.try_borrow_mut() {
                kept.get_or_insert(hook);
            }
        });
    }

    /// Runs `hook` on this thread whenever it reaches a step.
    #[cfg(not(any(loom, miri)))]
    pub(crate) fn at_step(hook: impl FnMut(Step) + 'static) {
        HOOK.with(|kept| *kept.borrow_mut() = Some(Box::new(hook)));
    }
}
